"""Jobs run until they are ended, alone or together."""

from tests.engine.test_supervisor import Chore
from tests.patience import idle
from wakeful.engine.supervisor import Supervisor


async def sweeps_after_a_call(*chores: Chore) -> list[int]:
    before = [len(chore.at) for chore in chores]
    for chore in chores:
        chore.job.wake()
    await idle()
    return [len(chore.at) - count for chore, count in zip(chores, before, strict=True)]


async def test_a_job_is_ended_alone_or_with_all_others() -> None:
    supervisor, one, two, three = Supervisor(), Chore(), Chore(), Chore()
    supervisor.start(one.job, two.job)
    await idle()
    assert await sweeps_after_a_call(one, two) == [1, 1]

    await supervisor.end(one.job, three.job)
    assert await sweeps_after_a_call(one, two) == [0, 1]

    await supervisor.end()
    assert await sweeps_after_a_call(one, two) == [0, 0]


async def test_the_end_of_a_job_is_waited_for() -> None:
    supervisor, chore = Supervisor(), Chore()
    supervisor.start(chore.job)
    await idle()
    await supervisor.end()
    (task,) = supervisor._tasks.values()
    assert task.cancelled()
    assert task.get_name() == "chore"


async def test_jobs_that_have_ended_are_counted_too() -> None:
    supervisor, chore = Supervisor(), Chore()
    assert list(supervisor.counts()) == []
    async with supervisor.at_work(chore.job):
        await idle()

    assert list(supervisor.counts()) == [("chore", chore.job.counts)]
    assert await sweeps_after_a_call(chore) == [0]
