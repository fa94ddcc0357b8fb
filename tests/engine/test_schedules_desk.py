"""What a schedule becomes when it is made or changed, and when the scheduler looks next."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engine.cron import SETTINGS, add, check_model, finish_run, job_now, pass_time, runs_of, schedules_on
from tests.engine.kit import House, Node
from wakeful.engine.schedules import scheduler
from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.engine.schedules.firing import Firing
from wakeful.errors import JobNotFound, NotAllowed
from wakeful.model.schedules.cron_job import CronJob, JobFields, JobStatus, RunStatus
from wakeful.model.schedules.schedule import ScheduleError

# Nothing here is about how rows are kept.
pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)

MINUTE = 60.0


@pytest.fixture
def desk(node: Node) -> ScheduleDesk:
    """A desk whose scheduler does not run."""
    return ScheduleDesk(node.processes.ledger, SETTINGS, check_model)


async def changed(desk: ScheduleDesk, job: CronJob, **fields: Any) -> CronJob:
    return (await desk.change("operator", job.id, fields)).job  # type: ignore[arg-type]


# Making.


async def test_a_schedule_that_is_made_again_under_its_id_stays_as_it_is(desk: ScheduleDesk, house: House) -> None:
    fields: JobFields = {"schedule": "every 10m", "prompt": "Hello."}
    made = await desk.add("alice", fields, "cron_1")
    await desk.run_now("alice", "cron_1")

    again = await desk.add("alice", {**fields, "prompt": "Bye."}, "cron_1")

    assert (made.job.id, made.job.owner, made.last_run) == ("cron_1", "alice", None)
    assert again.job == made.job
    assert again.last_run is not None
    assert [listed.job.id for listed in await desk.all("alice")] == ["cron_1"]


async def test_only_the_operator_may_make_one_that_delivers_to_a_chat(desk: ScheduleDesk) -> None:
    with pytest.raises(NotAllowed):
        await desk.add("alice", {"schedule": "@daily", "prompt": "Hello.", "deliver": "telegram:7"})

    assert await desk.all("operator") == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"schedule": "every 10s"}, "60"),
        ({"prompt": " \n"}, "nothing to say"),
        ({"model": "other:model"}, "There is no model other:model"),
        ({"deliver": "irc:7"}, "irc is not configured here; these are: slack, telegram"),
        ({"name": "next"}, "cannot be named next"),
    ],
)
async def test_what_a_schedule_cannot_be_is_refused(desk: ScheduleDesk, fields: Any, message: str) -> None:
    given: Any = {"schedule": "@daily", "prompt": "Hello.", **fields}

    with pytest.raises(ScheduleError, match=message):
        await desk.add("operator", given)

    assert await desk.all("operator") == []


async def test_where_no_platform_is_configured_that_is_said(node: Node) -> None:
    desk = ScheduleDesk(node.processes.ledger, replace(SETTINGS, platforms={}), check_model)

    with pytest.raises(ScheduleError, match="these are: none"):
        await add(desk, "@daily", deliver="telegram:7")


async def test_what_is_left_empty_is_what_the_server_fills_in(desk: ScheduleDesk) -> None:
    job = await add(desk, " @daily ", model="", deliver="", timezone="", name=" daily ")
    elsewhere = await add(desk, "@daily", timezone="Asia/Tokyo", catch_up_seconds=5, fresh=True)

    assert (job.schedule, job.model, job.deliver, job.timezone, job.name) == ("@daily", "", None, "UTC", "daily")
    assert (job.catch_up_seconds, job.is_fresh) == (SETTINGS.catch_up_seconds, False)
    assert (elsewhere.timezone, elsewhere.catch_up_seconds, elsewhere.is_fresh) == ("Asia/Tokyo", 5.0, True)


# Changing.


async def test_other_words_leave_a_firing_that_is_due_where_it_is(desk: ScheduleDesk, house: House) -> None:
    job = await add(desk, "every 10m")
    await house.advance(15 * MINUTE)

    assert (await changed(desk, job, prompt="Bye.")).next_at == job.next_at
    assert (await changed(desk, job, paused=False)).next_at == job.next_at
    assert await job_now(house, job) == replace(job, prompt="Bye.")


async def test_a_paused_schedule_has_no_next_time_and_goes_on_from_when_it_is_resumed(
    desk: ScheduleDesk, house: House
) -> None:
    job = await add(desk, "every 10m")
    paused = await changed(desk, job, paused=True)
    await house.advance(15 * MINUTE)
    silent = await changed(desk, job, prompt="Bye.")
    resumed = await changed(desk, job, paused=False)

    assert (paused.status, paused.next_at) == (silent.status, silent.next_at) == (JobStatus.PAUSED, None)
    assert (resumed.status, resumed.next_at) == (JobStatus.ACTIVE, job.starts_at + 20 * MINUTE)
    assert resumed.starts_at == job.starts_at


@pytest.mark.parametrize("fields", [{"schedule": "every 20m"}, {"timezone": "Asia/Tokyo"}])
async def test_another_schedule_or_zone_counts_from_now(desk: ScheduleDesk, house: House, fields: Any) -> None:
    job = await add(desk, "every 10m")
    await house.advance(15 * MINUTE)
    now = house.clock.now

    other = await changed(desk, job, **fields)

    wanted = 20 * MINUTE if "schedule" in fields else 10 * MINUTE
    assert (other.starts_at, other.next_at, other.status) == (now, now + wanted, JobStatus.ACTIVE)


async def test_a_paused_schedule_stays_paused_with_another_schedule(desk: ScheduleDesk) -> None:
    job = await add(desk, "every 10m")
    await changed(desk, job, paused=True)

    other = await changed(desk, job, schedule="every 20m")

    assert (other.status, other.next_at) == (JobStatus.PAUSED, None)


async def test_a_schedule_that_is_done_is_active_again_only_with_another_schedule(house: House, node: Node) -> None:
    desk = schedules_on(node)
    job = await add(desk, "in 10m")
    await pass_time(house, 10 * MINUTE)

    assert (await changed(desk, job, prompt="Bye.")).status is JobStatus.DONE
    with pytest.raises(ScheduleError, match="its time is over"):
        await changed(desk, job, paused=False)
    again = await changed(desk, job, schedule="in 20m")
    assert (again.status, again.next_at) == (JobStatus.ACTIVE, house.clock.now + 20 * MINUTE)


async def test_a_name_that_is_taken_is_refused_and_changes_nothing(desk: ScheduleDesk, house: House) -> None:
    jobs = [await add(desk, "@daily", name=name) for name in ("one", "two")]

    for job, name in zip(jobs, ("two", "one"), strict=True):
        with pytest.raises(ScheduleError, match=f"named {name} already"):
            await changed(desk, job, name=name)

    assert [(await job_now(house, job)).name for job in jobs] == ["one", "two"]


async def test_a_schedule_that_is_removed_while_it_is_looked_up_is_not_found(desk: ScheduleDesk) -> None:
    job = await add(desk, "@daily")

    def giving(found: CronJob | None) -> Callable[..., Awaitable[CronJob | None]]:
        async def get(*_: str) -> CronJob | None:
            return found

        return get

    tx: Any = SimpleNamespace(cron_jobs=SimpleNamespace(get=giving(job), lock=giving(None)))
    with pytest.raises(JobNotFound):
        await desk._locked(tx, "operator", job.id)


# Showing.


async def test_a_schedule_is_listed_with_its_newest_run(house: House, node: Node) -> None:
    desk = schedules_on(node)
    job = await add(desk, "every 10m")
    for _ in range(2):
        await pass_time(house, 10 * MINUTE)
        await finish_run(house, node, (await runs_of(house, job))[-1])

    (listed,) = await desk.all("operator")

    assert listed.last_run == (await runs_of(house, job))[-1]
    assert [run.fire_at for run in await desk.runs("operator", job.id, 1)] == [job.starts_at + 20 * MINUTE]


async def test_the_next_times_of_a_schedule_count_from_the_time_that_is_named_or_from_now(
    desk: ScheduleDesk, house: House
) -> None:
    now = house.clock.now

    assert await desk.next_times("every 10m", "", "", 2) == [now + 600, now + 1200]
    assert await desk.next_times("0 9 * * *", "", "1970-01-01T10:00:00Z", 1) == [(24 + 9) * 3600.0]
    assert await desk.next_times("0 9 * * *", "Asia/Tokyo", "1970-01-01T10:00:00Z", 1) == [24 * 3600.0]


async def test_the_next_times_end_before_the_year_9000(desk: ScheduleDesk) -> None:
    # Its 816th time would be the first moment of that year.
    times = await desk.next_times("every 75197h", "", "2000-01-01T00:00:00Z", 1_000)

    assert len(times) == 815


@pytest.mark.parametrize("act", ["add", "change"])
async def test_the_scheduler_looks_again_when_a_schedule_is_made_or_changed(house: House, node: Node, act: str) -> None:
    desk = schedules_on(node)
    job = await add(desk, "@daily")
    await house.settle()
    looks = desk.job.counts.runs

    await (add(desk, "@daily") if act == "add" else changed(desk, job, prompt="Bye."))
    await house.settle()

    assert desk.job.counts.runs > looks


# The scheduler.


@pytest.mark.parametrize(
    ("is_exclusive", "schedule", "wait"),
    [
        (True, "", None),
        (True, "every 10m", 600.0),
        (False, "", 3.0),
        (False, "every 10m", 3.0),
        (False, "in 1m", 1.0),
    ],
)
async def test_the_scheduler_waits_for_the_next_time_and_on_a_shared_store_a_lease_at_most(
    house: House, is_exclusive: bool, schedule: str, wait: float | None
) -> None:
    node = await house.start_node(is_exclusive=is_exclusive)
    desk = ScheduleDesk(node.processes.ledger, SETTINGS, check_model)
    if schedule:
        await add(desk, schedule)
    if schedule == "in 1m":
        await house.advance(59)

    assert await desk._scheduler.sweep() == wait


async def test_the_scheduler_waits_for_the_time_that_a_firing_has_set(house: House) -> None:
    node = await house.start_node(is_exclusive=True)
    desk = ScheduleDesk(node.processes.ledger, SETTINGS, check_model)
    await add(desk, "every 10m")
    await house.advance(10 * MINUTE)

    assert await desk._scheduler.sweep() == 600.0


async def test_a_full_round_is_followed_by_another_at_once_unless_a_firing_failed(
    desk: ScheduleDesk, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_MOST_AT_ONCE", 2)
    jobs = [await add(desk, "every 10m") for _ in range(4)]
    await house.advance(10 * MINUTE)
    assert await desk._scheduler.sweep() == 0.0

    fire_due = Firing.fire_due

    async def fail_last(self: Firing, job_id: str) -> None:
        if len(await fired(house, jobs)) == 3:
            raise RuntimeError("a bug")
        await fire_due(self, job_id)

    monkeypatch.setattr(Firing, "fire_due", fail_last)

    assert await desk._scheduler.sweep() != 0.0
    assert len(await fired(house, jobs)) == 3


async def fired(house: House, jobs: list[CronJob]) -> list[CronJob]:
    return [job for job in jobs if await runs_of(house, job)]


# Firing.


@pytest.mark.parametrize("change", [{"status": JobStatus.PAUSED}, {"next_at": None}])
async def test_a_row_that_is_not_active_or_has_no_time_does_not_fire(
    desk: ScheduleDesk, house: House, node: Node, change: Any
) -> None:
    job = await add(desk, "every 10m")
    await house.store.write(lambda tx: tx.cron_jobs.change(job.id, **change))
    await house.advance(10 * MINUTE)

    await Firing(node.processes.ledger, SETTINGS).fire_due(job.id)

    assert await runs_of(house, job) == []


@pytest.mark.parametrize(("late", "status"), [(1.5, RunStatus.RUNNING), (2.5, RunStatus.SKIPPED)])
async def test_a_firing_that_is_never_made_up_for_may_be_two_seconds_late(
    desk: ScheduleDesk, house: House, late: float, status: RunStatus
) -> None:
    job = await add(desk, "every 10m", catch_up_seconds=0)
    await house.advance(10 * MINUTE + late)

    await desk._scheduler.sweep()

    assert [run.status for run in await runs_of(house, job)] == [status]


async def test_a_firing_by_hand_at_the_very_time_of_the_schedule_is_another_one(
    desk: ScheduleDesk, house: House, node: Node
) -> None:
    job = await add(desk, "every 10m")
    await house.advance(10 * MINUTE)
    by_hand = await desk.run_now("operator", job.id)
    await finish_run(house, node, by_hand)
    # The same instant again is the same firing.
    await desk.run_now("operator", job.id)

    await desk._scheduler.sweep()
    await house.settle()

    assert (by_hand.status, by_hand.started_at) == (RunStatus.RUNNING, house.clock.now)
    runs = await runs_of(house, job)
    assert sorted((run.is_manual, run.fire_at) for run in runs) == [(False, house.clock.now), (True, house.clock.now)]
    assert set(node.agent.briefs) == {run.turn_id for run in runs}
