"""Where a firing goes: to the session of its chat, or to a new one, and with which model."""

from dataclasses import replace

import pytest

from tests.engine.cron import SETTINGS, add, finish_run, pass_time, runs_of, schedules_on
from tests.engine.kit import House, Node, open_session
from tests.engine.test_cron import chat_in
from wakeful.engine.schedules.lane import FiringLane, lane_of
from wakeful.model.schedules.cron_job import CronJob
from wakeful.model.session import Address
from wakeful.model.turn import Door

pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)

JOB = CronJob("cron_1", "alice", "greeting", "@daily", "UTC", "Say hello.")
TO_CHAT = replace(JOB, deliver=Address("telegram", "7"))


async def lane_for(house: House, job: CronJob) -> FiringLane:
    settings = replace(SETTINGS, workspace="/work")
    return await house.store.read(lambda tx: lane_of(tx, job, settings))


@pytest.mark.parametrize(("model", "used"), [("", "demo:led"), ("demo:small", "demo:small")])
async def test_without_a_target_it_begins_a_session_of_its_owner(house: House, model: str, used: str) -> None:
    lane = await lane_for(house, replace(JOB, model=model))

    assert (lane.is_new, lane.chat, lane.address) == (True, None, Address("cron"))
    assert lane.door == Door("cron", async_delivery=True)
    session = lane.session
    assert (session.owner, session.title, session.workspace, session.model) == ("alice", "greeting", "/work", used)
    assert session.address == Address("cron")


async def test_a_chat_goes_on_in_its_session(house: House, node: Node) -> None:
    session = await open_session(node, Address("telegram", "7"))
    await chat_in(house, session)

    lane = await lane_for(house, TO_CHAT)

    assert (lane.session.id, lane.is_new, lane.chat) == (session, False, None)
    assert lane.door == Door("telegram", async_delivery=True)
    sender = lane.address.sender
    assert (lane.address, sender.chat_name, sender.chat_key) == (TO_CHAT.deliver, "Ada", "telegram:private:7")


@pytest.mark.parametrize("known", ["deleted", "unknown", ""])
async def test_a_chat_whose_session_is_gone_goes_on_in_a_new_one(house: House, node: Node, known: str) -> None:
    session = await open_session(node, Address("telegram", "7"))
    if known == "deleted":
        await node.engine.purger.delete(session)
    await chat_in(house, session if known == "deleted" else known)

    lane = await lane_for(house, TO_CHAT)

    assert lane.is_new
    assert lane.session.id != session
    assert (lane.session.chat_key, lane.session.chat_name) == ("telegram:private:7", "Ada")
    assert (lane.session.owner, lane.session.address) == ("alice", TO_CHAT.deliver)
    assert lane.chat is not None
    assert lane.chat.session_id == lane.session.id


async def test_a_fresh_firing_begins_a_session_beside_that_of_the_chat(house: House, node: Node) -> None:
    await chat_in(house, await open_session(node, Address("telegram", "7")))

    lane = await lane_for(house, replace(TO_CHAT, is_fresh=True))

    assert (lane.is_new, lane.chat, lane.session.chat_key) == (True, None, "telegram:private:7")
    assert lane.door == Door("telegram", async_delivery=True)


@pytest.mark.parametrize(("model", "used"), [("", "demo:other"), ("demo:small", "demo:small")])
async def test_a_job_without_a_model_uses_that_of_the_session(house: House, node: Node, model: str, used: str) -> None:
    session = await open_session(node, Address("telegram", "7"))
    await node.engine.change_session(session, model="demo:other")
    await chat_in(house, session)
    desk = schedules_on(node)
    job = await add(desk, "@daily", deliver="telegram:7", model=model)

    run = await desk.run_now("operator", job.id)
    await house.settle()

    assert node.agent.briefs[run.turn_id].turn.model == used


async def test_a_session_without_a_model_gets_that_of_the_server(house: House, node: Node) -> None:
    session = await open_session(node, Address("telegram", "7"))
    await house.store.write(lambda tx: tx.sessions.change(session, model=""), lock=[session])
    await chat_in(house, session)
    desk = schedules_on(node)
    job = await add(desk, "@daily", deliver="telegram:7")

    run = await desk.run_now("operator", job.id)
    await house.settle()

    turn = node.agent.briefs[run.turn_id].turn
    assert (turn.session_id, turn.model) == (session, "demo:led")


async def test_a_firing_that_was_made_before_gives_its_chat_no_session_that_never_begins(
    house: House, node: Node
) -> None:
    await chat_in(house, "")
    desk = schedules_on(node)
    job = await add(desk, "every 10m", deliver="telegram:7")
    await pass_time(house, 600)
    (run,) = await runs_of(house, job)
    await finish_run(house, node, run)
    await chat_in(house, "")
    await house.set_store_clock(-480)
    await desk.change("operator", job.id, {"paused": True})
    await desk.change("operator", job.id, {"paused": False})

    await pass_time(house, 480)

    assert [each.fire_at for each in await runs_of(house, job)] == [run.fire_at]
    chat = await house.store.read(lambda tx: tx.chats.get("telegram:private:7"))
    assert chat is not None
    assert chat.session_id == ""
