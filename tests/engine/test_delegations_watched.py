"""What a node looks at of the delegations that it watches, when, and when it stops."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.kit import House, Node, begin_task, events_of, exit_of, own_commit, session_of, task_of
from tests.engine.test_delegations import delegate, idle_parent, lead, turn_of, working_parent
from tests.patience import PATIENCE
from wakeful.engine.inbox.submission import Receipt
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Task, TaskStatus
from wakeful.store.base import Signal, Transaction

pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)

EVERYTHING = Signal(frozenset(), is_everything=True)


def commit_of_another(session_id: str) -> Signal:
    return Signal(frozenset({session_id}))


def note_settled(node: Node, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which delegations are looked at, and do nothing to them."""
    settled: list[str] = []

    async def note(watched: Any) -> None:
        settled.append(watched.task_id)

    monkeypatch.setattr(node.engine.delegations, "_settle", note)
    return settled


def count_reads(node: Node, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note how many tasks each read of those that a call waits for is about."""
    delegations, reads = node.engine.delegations, []
    read = delegations._read

    async def count(task_ids: list[str]) -> list[Task]:
        reads.append(len(task_ids))
        return await read(task_ids)

    monkeypatch.setattr(delegations, "_read", count)
    return reads


def child_of(task: Task) -> str:
    return task.child_session_id or ""


@pytest.mark.parametrize(
    "signal",
    [
        lambda parent, child: own_commit(child, "done"),
        lambda parent, child: own_commit(child, "cancelled"),
        lambda parent, child: own_commit(child, "process_complete"),
        lambda parent, child: own_commit(parent, "failed"),
        lambda parent, child: own_commit(parent, "process_complete"),
        lambda parent, child: commit_of_another(child),
        lambda parent, child: commit_of_another(parent),
    ],
)
async def test_a_delegation_is_looked_at_alone_after_what_may_have_ended_it(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch, signal: Callable[[str, str], Signal]
) -> None:
    parent, task = await idle_parent(node, house)
    await idle_parent(node, house)
    settled = note_settled(node, monkeypatch)

    node.store.tell(signal(parent, child_of(task)))
    await house.settle()

    assert settled == [task.id]


async def test_all_are_looked_at_and_read_again_when_anything_may_have_changed(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [(await idle_parent(node, house))[1] for _ in range(2)]
    settled = note_settled(node, monkeypatch)

    node.store.tell(EVERYTHING)
    await house.settle()

    assert set(settled) == {task.id for task in tasks}


@pytest.mark.parametrize(
    "signal",
    [
        lambda parent, child: own_commit(child, "usage"),
        lambda parent, child: own_commit(parent, "message"),
        lambda parent, child: own_commit("elsewhere", "done"),
        lambda parent, child: own_commit("elsewhere", "process_complete"),
        lambda parent, child: commit_of_another("elsewhere"),
        lambda parent, child: Signal(frozenset()),
    ],
)
async def test_what_ends_no_delegation_costs_nothing(
    node: Node, house: House, signal: Callable[[str, str], Signal]
) -> None:
    parent, task = await idle_parent(node, house)
    await house.settle()
    looks = node.engine.delegations.job.counts.runs

    node.store.tell(signal(parent, child_of(task)))
    node.engine.delegations.take([])
    await house.settle()

    assert node.engine.delegations.job.counts.runs == looks


async def test_a_look_reads_the_nodes_delegations_only_if_it_may_have_missed_some(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    receipt = await working_parent(node, house)
    (task,) = await delegate(node, house, receipt)
    await begin_task(node, receipt, "build")
    delegations, read = node.engine.delegations, []
    own = delegations._own

    async def note(tx: Transaction) -> list[Task]:
        read.append(await own(tx))
        return read[-1]

    monkeypatch.setattr(delegations, "_own", note)
    node.store.tell(own_commit(child_of(task), "done"))
    await house.settle()
    assert read == []

    node.store.tell(EVERYTHING)
    await house.settle()
    assert [{known.id for known in tasks} for tasks in read] == [{task.id, "build"}]
    # A process has no session to watch.
    assert "cannot be watched" not in caplog.text


@pytest.mark.parametrize("how", ["finish", "stop", "stop elsewhere"])
async def test_a_delegation_that_has_ended_is_watched_no_more(node: Node, house: House, how: str) -> None:
    parent, task = await idle_parent(node, house)
    delegations = node.engine.delegations
    assert delegations._awaited() == {parent, child_of(task)}

    match how:
        case "finish":
            await lead(node, house, task, "finish")
        case "stop":
            await delegations.stop(task.id)
        case "stop elsewhere":
            other = await house.start_node()
            await other.engine.delegations.stop(task.id)
    await house.settle()

    assert delegations._awaited() == set()
    await delegations.sweep()
    assert delegations._until == {}


async def test_sub_agents_that_have_ended_are_found_again_and_not_watched(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    turn = node.agent.briefs[receipt.turn_id].turn
    ended, running = await node.engine.delegations.begin(turn, 3, 2, [Goal("one"), Goal("two")], is_inline=False)
    await house.settle()
    await lead(node, house, ended, "finish")

    again = await node.engine.delegations.begin(turn, 3, 2, [Goal("one"), Goal("two")], is_inline=False)

    assert [(task.id, task.step, task.index, task.part) for task in again] == [
        (ended.id, 3, 2, 0),
        (running.id, 3, 2, 1),
    ]
    assert node.engine.delegations._awaited() == {receipt.session_id, child_of(running)}
    assert await node.engine.delegations.begun(turn, 3, 2)
    assert not await node.engine.delegations.begun(turn, 2, 3)


# Calls that wait.


async def test_a_call_that_waits_reads_again_only_what_may_have_ended(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, task = await idle_parent(node, house)
    other = await house.start_node()
    reads = count_reads(other, monkeypatch)
    waiting = asyncio.create_task(other.engine.delegations.ended([task.id]))
    await house.settle()
    assert other.engine.delegations._awaited() == {parent}

    for signal in (own_commit(parent, "usage"), own_commit("elsewhere", "done"), commit_of_another("elsewhere")):
        other.store.tell(signal)
        await house.settle()
    assert len(reads) == 1
    for signal in (commit_of_another(parent), own_commit(parent, "process_complete"), EVERYTHING):
        other.store.tell(signal)
        await house.settle()
    assert len(reads) == 4

    waiting.cancel()
    await asyncio.wait([waiting])
    assert other.engine.delegations._awaited() == set()


async def test_an_end_while_the_tasks_are_read_for_the_first_time_is_not_missed(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = await working_parent(node, house)
    (task,) = await delegate(node, house, receipt, is_inline=True)
    delegations = node.engine.delegations
    read = delegations._read

    async def end_meanwhile(task_ids: list[str]) -> list[Task]:
        monkeypatch.setattr(delegations, "_read", read)
        tasks = await read(task_ids)
        await lead(node, house, task, "say 42")
        return tasks

    monkeypatch.setattr(delegations, "_read", end_meanwhile)
    async with asyncio.timeout(PATIENCE):
        assert [ended.result for ended in await delegations.ended([task.id])] == ["42"]


# Time.


async def test_of_several_delegations_each_ends_at_its_own_time(node: Node, house: House) -> None:
    _, older = await idle_parent(node, house)
    await house.advance(40)
    _, newer = await idle_parent(node, house)
    await house.advance(house.settings.delegation_seconds - 70)
    await house.settle()
    assert (await task_of(house, older.id)).is_running

    await house.advance(30)
    await house.settle()

    assert (await task_of(house, older.id)).status is TaskStatus.FAILED
    assert (await task_of(house, newer.id)).is_running


async def code_of_end(node: Node, running: Receipt) -> str:
    *_, last = await events_of(node, running.session_id, running.turn_id)
    code: str = last.data["code"]
    return code


async def test_a_turn_says_whether_it_was_stopped_or_late(node: Node, house: House) -> None:
    _, stopped = await idle_parent(node, house)
    _, late = await idle_parent(node, house)
    turns = [await turn_of(house, task) for task in (stopped, late)]

    await node.engine.delegations.stop(stopped.id)
    await house.advance(house.settings.delegation_seconds)
    await house.settle()

    assert [await code_of_end(node, running) for running in turns] == ["stopped", "time_limit"]
    assert [(await session_of(house, child_of(task))).is_held for task in (stopped, late)] == [True, True]


@pytest.mark.parametrize("is_idle", [True, False])
async def test_nothing_is_promised_any_more_to_a_stopped_sub_agent(node: Node, house: House, is_idle: bool) -> None:
    _, task = await idle_parent(node, house)
    await begin_task(node, await turn_of(house, task), "build")
    if is_idle:
        await lead(node, house, task, "finish")

    await node.engine.delegations.stop(task.id)

    build = await task_of(house, "build")
    assert (build.is_running, build.has_promise) == (True, False)


async def test_a_stopped_sub_agent_hears_no_notice_that_was_waiting_for_its_next_step(node: Node, house: House) -> None:
    _, task = await idle_parent(node, house)
    running = await turn_of(house, task)
    await begin_task(node, running, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    pending = await house.store.read(lambda tx: tx.inbox.pending(running.session_id))
    assert len(pending) == 1

    await node.engine.delegations.stop(task.id)
    await house.settle()

    assert await house.store.read(lambda tx: tx.inbox.pending(running.session_id)) == []
    # It was promised to no client as a turn of its own.
    assert await house.store.read(lambda tx: tx.events.of_turn(pending[0].turn_id, 0, 10)) == []
