"""Cron jobs fire once for each time, in the right session, whatever becomes of the clock and the nodes."""

import asyncio
from dataclasses import replace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from tests.engine.cron import SETTINGS, add, check_model, finish_run, job_now, pass_time, runs_of, schedules_on
from tests.engine.kit import House, Node, finish, open_session, send, session_of
from wakeful.engine.schedules import scheduler
from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.engine.schedules.firing import Firing
from wakeful.errors import EngineStopping, JobNotFound
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.schedules.cron_job import JobStatus, RunStatus
from wakeful.model.schedules.schedule import ScheduleError
from wakeful.model.session import Address
from wakeful.model.turn import Door
from wakeful.store.base import Transaction

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


async def chat_in(house: House, session_id: str, thread_id: str = "", platform: str = "telegram") -> None:
    key = f"{platform}:private:7" + (f":{thread_id}" if thread_id else "")
    chat = Chat(key, platform, ChatKind.PRIVATE, "7", thread_id, session_id, "Ada", last_at=house.clock.now)
    await house.store.write(lambda tx: tx.chats.put(chat))


async def test_a_job_fires_at_its_time_and_its_run_follows_the_turn(house: House, node: Node) -> None:
    job = await add(schedules_on(node), "every 10m", name="greeting")
    await pass_time(house, 10 * MINUTE - 1)
    assert await runs_of(house, job) == []

    await pass_time(house, 1)

    (run,) = await runs_of(house, job)
    assert (run.fire_at, run.status, run.started_at) == (job.starts_at + 600, RunStatus.RUNNING, house.clock.now)
    turn = node.agent.briefs[run.turn_id].turn
    assert (turn.source, turn.door, turn.address) == ("cron", Door("cron", async_delivery=True), Address("cron"))
    assert (await session_of(house, run.session_id)).title == "greeting"
    await finish_run(house, node, run)
    (run,) = await runs_of(house, job)
    assert (run.status, run.reason) == (RunStatus.DONE, "")
    assert (await job_now(house, job)).next_at == job.starts_at + 1200


async def test_a_run_whose_turn_fails_says_why(house: House, node: Node) -> None:
    job = await add(schedules_on(node), "every 10m")
    await pass_time(house, 10 * MINUTE)
    (run,) = await runs_of(house, job)

    await finish_run(house, node, run, "refuse")

    (run,) = await runs_of(house, job)
    assert (run.status, run.reason) == (RunStatus.FAILED, "The key is wrong.")


@pytest.mark.parametrize("schedule", ["in 2h", "at 1970-01-12T15:46:40Z"])
async def test_a_job_that_fires_once_is_done_then(house: House, node: Node, schedule: str) -> None:
    desk = schedules_on(node)
    job = await add(desk, schedule)
    assert job.next_at == 1_000_000 + 2 * HOUR

    await pass_time(house, 2 * HOUR)
    await pass_time(house, DAY)

    assert len(await runs_of(house, job)) == 1
    assert (await job_now(house, job)).status is JobStatus.DONE
    assert (await job_now(house, job)).next_at is None
    with pytest.raises(ScheduleError, match="does not fire any more"):
        await desk.change("operator", job.id, {"paused": False})


async def test_of_missed_firings_the_newest_is_made_up_for(house: House) -> None:
    job = await add(schedules_on(first := await house.start_node()), "every 10m")
    await house.settle()
    await house.kill(first)
    await house.advance(35 * MINUTE)

    schedules_on(await house.start_node())
    await house.settle()

    runs = await runs_of(house, job)
    assert [(run.fire_at - job.starts_at, run.status, run.reason) for run in runs] == [
        (600, RunStatus.SKIPPED, "missed"),
        (1200, RunStatus.SKIPPED, "missed"),
        (1800, RunStatus.RUNNING, ""),
    ]
    assert runs[-1].late_seconds == 5 * MINUTE
    assert (await job_now(house, job)).next_at == job.starts_at + 2400


async def test_what_is_older_than_the_window_is_not_made_up_for(house: House) -> None:
    job = await add(schedules_on(first := await house.start_node()), "every 10m", catch_up_seconds=60)
    await house.settle()
    await house.kill(first)
    await house.advance(15 * MINUTE)

    node = await house.start_node()
    schedules_on(node)
    await house.settle()

    assert [(run.status, run.reason) for run in await runs_of(house, job)] == [(RunStatus.SKIPPED, "missed")]
    assert node.agent.briefs == {}


async def test_a_long_outage_leaves_a_bounded_list(house: House) -> None:
    job = await add(schedules_on(first := await house.start_node()), "* * * * *")
    await house.settle()
    await house.kill(first)
    await house.advance(400 * DAY)

    schedules_on(await house.start_node())
    await house.settle()

    runs = await runs_of(house, job)
    assert len(runs) == 200
    assert [run.status for run in runs[-2:]] == [RunStatus.SKIPPED, RunStatus.RUNNING]
    assert house.clock.now - runs[-1].fire_at < MINUTE


async def test_a_firing_is_skipped_while_the_last_run_goes_on(house: House, node: Node) -> None:
    job = await add(schedules_on(node), "every 10m")
    await pass_time(house, 10 * MINUTE)
    await pass_time(house, 10 * MINUTE)
    first, second = await runs_of(house, job)
    assert (second.status, second.reason) == (RunStatus.SKIPPED, "still_running")

    await finish_run(house, node, first)
    await pass_time(house, 10 * MINUTE)

    assert [run.status for run in await runs_of(house, job)] == ["done", "skipped", "running"]


async def test_a_job_that_has_changed_since_it_was_seen_to_be_due_does_not_fire(house: House, node: Node) -> None:
    desk, firing = schedules_on(node), Firing(node.processes.ledger, SETTINGS)
    job = await add(desk, "every 10m")
    await firing.fire_due(job.id)
    await desk.change("operator", job.id, {"paused": True})
    await pass_time(house, 10 * MINUTE)

    await firing.fire_due(job.id)

    assert await runs_of(house, job) == []
    assert node.agent.briefs == {}


async def test_a_job_that_is_gone_does_not_fire(house: House, node: Node) -> None:
    desk, firing = schedules_on(node), Firing(node.processes.ledger, SETTINGS)
    job = await add(desk, "every 10m")
    await desk.remove("operator", job.id)

    await firing.fire_due(job.id)
    with pytest.raises(JobNotFound):
        await firing.fire_now(job.id)

    assert node.agent.briefs == {}


async def test_a_firing_whose_chat_gets_another_session_meanwhile_goes_to_that_one(
    house: House, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, firing = schedules_on(node), Firing(node.processes.ledger, SETTINGS)
    chat = Chat("telegram:1", "telegram", ChatKind.PRIVATE, "1", "", await open_session(node, Address("telegram", "1")))
    job = await add(desk, "every 10m", deliver="telegram:1")
    known_session = Firing._known_session
    looks: list[str] = []
    locks: list[list[str]] = []

    async def look(self: Firing, tx: Transaction, job_id: str) -> str:
        looks.append(await known_session(self, tx, job_id))
        return looks[-1]

    monkeypatch.setattr(Firing, "_known_session", look)
    commit = firing._commits.commit

    async def late_commit(body: Any, **options: Any) -> Any:
        locks.append(options["lock"])
        if len(looks) == 1:
            await house.store.write(lambda tx: tx.chats.put(chat))
        return await commit(body, **options)

    monkeypatch.setattr(firing._commits, "commit", late_commit)

    run = await firing.fire_now(job.id)

    assert looks == ["", chat.session_id]
    assert locks == [[], [chat.session_id]]
    assert run.session_id == chat.session_id


async def test_more_jobs_than_are_looked_at_at_once_fire_all_the_same(
    house: House, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_MOST_AT_ONCE", 2)
    desk = schedules_on(node)
    jobs = [await add(desk, "every 10m") for _ in range(5)]

    await pass_time(house, 10 * MINUTE)

    assert [len(await runs_of(house, job)) for job in jobs] == [1] * 5


async def test_the_scheduler_of_a_stopping_node_fires_nothing(
    house: House, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = ScheduleDesk(node.processes.ledger, SETTINGS, check_model)
    job = await add(desk, "every 10m")
    await house.advance(10 * MINUTE)
    with monkeypatch.context() as patch:
        # It begins to stop just after the scheduler has looked.
        patch.setattr(Firing, "fire_due", AsyncMock(side_effect=EngineStopping))
        await desk.job.look()
    await node.engine.stop()

    await desk.job.look()

    assert (await runs_of(house, job), desk.job.counts.row_failures) == ([], 0)


async def test_a_stopping_node_leaves_a_firing_that_begins_a_session_to_the_next(house: House, node: Node) -> None:
    job = await add(ScheduleDesk(node.processes.ledger, SETTINGS, check_model), "every 10m")
    await house.advance(10 * MINUTE)
    await node.engine.stop()

    with pytest.raises(EngineStopping):
        await Firing(node.processes.ledger, SETTINGS).fire_due(job.id)

    assert await runs_of(house, job) == []
    assert (await job_now(house, job)).next_at == job.next_at


async def test_a_clock_that_is_set_back_fires_nothing_again(house: House, node: Node) -> None:
    job = await add(schedules_on(node), "every 10m")
    await pass_time(house, 10 * MINUTE)
    (run,) = await runs_of(house, job)
    await finish_run(house, node, run)

    await house.set_store_clock(-HOUR)
    for _ in range(7):
        await pass_time(house, 10 * MINUTE)

    assert [run.fire_at - job.starts_at for run in await runs_of(house, job)] == [600, 1200]


async def test_a_job_that_is_resumed_after_a_wrong_clock_goes_on_from_now_and_repeats_nothing(
    house: House, node: Node
) -> None:
    desk = schedules_on(node)
    job = await add(desk, "every 10m")
    await pass_time(house, 10 * MINUTE)
    (run,) = await runs_of(house, job)
    await finish_run(house, node, run)
    await house.set_store_clock(-8 * MINUTE)

    await desk.change("operator", job.id, {"paused": True})
    await desk.change("operator", job.id, {"paused": False})
    assert (await job_now(house, job)).next_at == run.fire_at
    await pass_time(house, 8 * MINUTE)

    assert await runs_of(house, job) == [replace(run, status=RunStatus.DONE)]
    assert (await job_now(house, job)).next_at == run.fire_at + 600


async def test_two_nodes_fire_each_time_once(couple: tuple[House, Node, Node]) -> None:
    house, one, other = couple
    desk, second = schedules_on(one), schedules_on(other)
    jobs = [await add(desk, "every 1m", name=f"job {number}") for number in range(5)]
    await pass_time(house, MINUTE)

    await asyncio.gather(desk.job.look(), second.job.look())
    await house.settle()

    assert [len(await runs_of(house, job)) for job in jobs] == [1] * 5
    assert len(one.agent.briefs) + len(other.agent.briefs) == 5


@pytest.mark.parametrize("fuse", range(1, 6))
async def test_a_node_that_dies_at_any_instant_loses_and_doubles_nothing(house: House, fuse: int) -> None:
    first = await house.start_node()
    job = await add(schedules_on(first), "every 10m")
    await house.settle()
    first.store.fuse = fuse
    await pass_time(house, 10 * MINUTE)
    await house.kill(first)
    await house.advance(10)

    node = await house.start_node()
    schedules_on(node)
    await pass_time(house, 10)

    (run,) = await runs_of(house, job)
    assert list(node.agent.briefs) == [run.turn_id]
    await finish_run(house, node, run)
    assert [run.status for run in await runs_of(house, job)] == [RunStatus.DONE]


async def test_a_run_goes_on_after_its_node_has_died(house: House) -> None:
    first = await house.start_node()
    job = await add(schedules_on(first), "every 10m")
    await pass_time(house, 10 * MINUTE)
    (run,) = await runs_of(house, job)
    await house.kill(first)
    await house.advance(10)

    node = await house.start_node()
    await pass_time(house, 10)
    await finish_run(house, node, run)

    assert [run.status for run in await runs_of(house, job)] == [RunStatus.DONE]


async def test_a_target_is_answered_in_its_chats_session_after_what_is_queued(house: House, node: Node) -> None:
    session = await open_session(node, Address("telegram", "7"), owner="operator")
    await chat_in(house, session)
    job = await add(schedules_on(node), "every 10m", deliver="telegram:7")
    talk = await send(node, session, "hello", address=Address("telegram", "7"))
    await pass_time(house, 10 * MINUTE)
    (run,) = await runs_of(house, job)
    assert (run.status, run.session_id) == (RunStatus.QUEUED, session)

    await finish(node, house, talk)

    (run,) = await runs_of(house, job)
    turn = node.agent.briefs[run.turn_id].turn
    assert run.status is RunStatus.RUNNING
    assert (turn.session_id, turn.source, turn.door) == (session, "cron", Door("telegram", async_delivery=True))
    assert (turn.address, turn.address.sender.chat_name) == (Address("telegram", "7"), "Ada")


async def test_a_chat_without_a_session_gets_one_that_stays(house: House, node: Node) -> None:
    job = await add(schedules_on(node), "every 10m", deliver="telegram:-7:3")
    await pass_time(house, 10 * MINUTE)
    (first,) = await runs_of(house, job)
    await finish_run(house, node, first)

    await pass_time(house, 10 * MINUTE)

    session = await session_of(house, first.session_id)
    assert (session.chat_key, session.address) == ("telegram:group:-7:3", Address("telegram", "-7", "3"))
    assert [run.session_id for run in await runs_of(house, job)] == [session.id] * 2


async def test_a_thread_shares_the_session_of_its_chat_where_chats_are_the_scope(house: House, node: Node) -> None:
    session = await open_session(node, Address("slack", "7"), owner="operator")
    await chat_in(house, session, "17.5", platform="slack")
    job = await add(schedules_on(node), "every 10m", deliver="slack:7:99.1")

    await pass_time(house, 10 * MINUTE)

    (run,) = await runs_of(house, job)
    assert run.session_id == session
    assert node.agent.briefs[run.turn_id].turn.address == Address("slack", "7", "99.1")


async def test_a_fresh_job_begins_a_session_each_time_and_leaves_the_chat_alone(house: House, node: Node) -> None:
    session = await open_session(node, Address("telegram", "7"), owner="operator")
    await chat_in(house, session)
    job = await add(schedules_on(node), "every 10m", deliver="telegram:7", fresh=True)
    await pass_time(house, 10 * MINUTE)
    (run,) = await runs_of(house, job)
    await finish_run(house, node, run)
    await pass_time(house, 10 * MINUTE)

    sessions = {run.session_id for run in await runs_of(house, job)}
    assert len(sessions) == 2
    assert session not in sessions
    chat = await house.store.read(lambda tx: tx.chats.get("telegram:private:7"))
    assert chat is not None
    assert chat.session_id == session
    assert (await session_of(house, run.session_id)).address == Address("telegram", "7")


async def test_a_target_whose_platform_is_gone_fails_with_the_reason(house: House) -> None:
    first = await house.start_node()
    job = await add(schedules_on(first), "every 10m", deliver="telegram:7")
    await house.kill(first)
    node = await house.start_node()
    schedules_on(node, replace(SETTINGS, platforms={}))

    await pass_time(house, 10 * MINUTE)

    (run,) = await runs_of(house, job)
    assert run.status is RunStatus.FAILED
    assert run.reason.startswith("telegram is not configured")
    assert node.agent.briefs == {}


async def test_run_now_fires_beside_the_schedule(house: House, node: Node) -> None:
    desk = schedules_on(node)
    job = await add(desk, "every 10m")
    await desk.change("operator", job.id, {"paused": True})

    run = await desk.run_now("operator", job.id)
    again = await desk.run_now("operator", job.id)
    await house.settle()

    assert (again.status, again.reason) == (RunStatus.SKIPPED, "still_running")
    assert list(node.agent.briefs) == [run.turn_id]
    await finish_run(house, node, run)
    assert [(run.is_manual, run.status) for run in await runs_of(house, job)] == [(True, RunStatus.DONE)]
    assert (await job_now(house, job)).status is JobStatus.PAUSED


async def test_a_withdrawn_message_and_a_deleted_session_end_the_run(house: House, node: Node) -> None:
    session = await open_session(node, Address("telegram", "7"), owner="operator")
    await chat_in(house, session)
    job = await add(desk := schedules_on(node), "every 1d", deliver="telegram:7")
    await send(node, session, "hello", address=Address("telegram", "7"))
    withdrawn = await desk.run_now("operator", job.id)
    await node.engine.withdraw(session, withdrawn.turn_id)
    await house.advance(1)
    await desk.run_now("operator", job.id)

    await node.engine.purger.delete(session)
    await pass_time(house, MINUTE)

    assert [(run.status, run.reason) for run in await runs_of(house, job)] == [
        (RunStatus.FAILED, "Its message was withdrawn."),
        (RunStatus.FAILED, "The session was deleted."),
    ]


async def test_a_job_with_a_bad_row_does_not_hold_up_the_others(house: House, node: Node) -> None:
    desk = schedules_on(node)
    broken, good = await add(desk, "every 10m"), await add(desk, "every 10m")
    await house.store.write(lambda tx: tx.cron_jobs.change(broken.id, schedule="never again"))

    await pass_time(house, 10 * MINUTE)

    assert len(await runs_of(house, good)) == 1
    assert await runs_of(house, broken) == []


async def test_old_runs_are_forgotten(house: House, node: Node) -> None:
    job = await add(schedules_on(node), "in 10m")
    await pass_time(house, 10 * MINUTE)
    (run,) = await runs_of(house, job)
    await pass_time(house, 100 * DAY)
    assert len(await runs_of(house, job)) == 1, "it is still running"

    await finish_run(house, node, run)
    await pass_time(house, HOUR)

    assert await runs_of(house, job) == []
