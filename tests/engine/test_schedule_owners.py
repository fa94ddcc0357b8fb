"""Whose schedules are whose: everyone has their own, and the operator has all."""

import pytest

from tests.engine.cron import add, schedules_on
from tests.engine.kit import House, Node, open_session
from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.errors import JobNotFound, NotAllowed
from wakeful.model.schedules.cron_job import CronJob
from wakeful.model.schedules.schedule import ScheduleError

# Nothing here is about how rows are kept.
pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)


@pytest.fixture
async def desk(node: Node) -> ScheduleDesk:
    return schedules_on(node)


async def made_by(desk: ScheduleDesk, principal: str, name: str = "") -> CronJob:
    return (await desk.add(principal, {"schedule": "@daily", "prompt": "Hello.", "name": name})).job


async def test_everyone_sees_their_own_and_the_operator_sees_all(desk: ScheduleDesk) -> None:
    hers, his = await made_by(desk, "alice"), await made_by(desk, "bob")
    own = await add(desk, "@daily")

    async def seen(principal: str) -> set[str]:
        return {listed.job.id for listed in await desk.all(principal)}

    assert await seen("alice") == {hers.id}
    assert await seen("bob") == {his.id}
    assert await seen("operator") == {hers.id, his.id, own.id}


async def test_the_schedule_of_another_does_not_exist_and_the_operator_may_change_it(desk: ScheduleDesk) -> None:
    hers = await made_by(desk, "alice", "daily")
    his = await made_by(desk, "bob", "daily")

    with pytest.raises(JobNotFound):
        await desk.remove("bob", hers.id)
    with pytest.raises(JobNotFound):
        await desk.runs("bob", hers.id, 9)
    with pytest.raises(JobNotFound):
        await desk.run_now("carl", "daily")
    assert (await desk.change("operator", hers.id, {"paused": True})).job.owner == "alice"
    assert (await desk.remove("bob", "daily")).id == his.id


async def test_only_the_operator_has_schedules_that_deliver_to_a_chat(desk: ScheduleDesk) -> None:
    job = await add(desk, "@daily", deliver="telegram:7")
    hers = await made_by(desk, "alice")

    for reference in (job.id, hers.id):
        with pytest.raises(NotAllowed):
            await desk.change("alice", reference, {"deliver": "telegram:8"})
    with pytest.raises(NotAllowed):
        await desk.remove("alice", job.id)
    with pytest.raises(ScheduleError, match="irc is not configured here; these are: slack, telegram"):
        await desk.change("operator", job.id, {"deliver": "irc:7"})


async def test_a_name_is_free_for_another_owner_and_for_the_same_schedule(desk: ScheduleDesk) -> None:
    hers = await made_by(desk, "alice", "daily")
    await made_by(desk, "bob", "daily")

    with pytest.raises(ScheduleError, match="named daily already"):
        await made_by(desk, "alice", "daily")
    for name in ("next", f"cron_{'0' * 32}"):
        with pytest.raises(ScheduleError, match="cannot be named"):
            await made_by(desk, "alice", name)
    assert (await desk.change("alice", "daily", {"name": "daily", "prompt": "Bye."})).job.id == hers.id


async def test_a_name_that_the_operator_gives_has_to_be_free_for_the_owner_of_the_schedule(desk: ScheduleDesk) -> None:
    hers = await made_by(desk, "alice", "early")
    await made_by(desk, "alice", "late")
    await made_by(desk, "operator", "daily")

    with pytest.raises(ScheduleError, match="named late already"):
        await desk.change("operator", hers.id, {"name": "late"})
    assert (await desk.change("operator", hers.id, {"name": "daily"})).job.name == "daily"


async def test_an_agent_acts_for_the_owner_of_its_session(house: House, node: Node, desk: ScheduleDesk) -> None:
    assert await desk.owner_of(await open_session(node, owner="alice")) == "alice"
    with pytest.raises(NotAllowed):
        await desk.owner_of("unstored")
