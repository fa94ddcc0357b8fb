"""A goal handed to a sub-agent: it works in its own session, and the parent gets exactly one notice of its end."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Any, TypeVar

import orjson
import pytest

from tests.bare_engine import HOST, NoBinder
from tests.engine.kit import (
    ASK,
    House,
    Node,
    begin_task,
    events_of,
    exit_of,
    finish,
    kinds_of,
    log_of,
    open_session,
    send,
    session_of,
    task_of,
    until,
    wakeups_of,
)
from tests.patience import PATIENCE
from wakeful.engine.inbox.submission import Receipt
from wakeful.engine.tasks.memory_delegations import MemoryDelegations
from wakeful.errors import LeaseLost, StoreUnavailable, TooManyDelegations
from wakeful.model.inbox import IfBusy
from wakeful.model.session import Address
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.notice_text import FENCE
from wakeful.model.tasks.task import Task, TaskKind, TaskStatus
from wakeful.store.base import Body, Signal, Transaction
from wakeful.tools.base import ToolContext
from wakeful.tools.delegate_tool import DelegateTool

T = TypeVar("T")
GOAL = "count the sheep"


async def working_parent(node: Node, house: House, **how: object) -> Receipt:
    session = await open_session(node)
    receipt = await send(node, session, "get it done", **how)  # type: ignore[arg-type]
    await house.settle()
    return receipt


async def delegate(
    node: Node, house: House, receipt: Receipt, *goals: str | Goal, is_inline: bool = False, index: int = 1
) -> list[Task]:
    turn = node.agent.briefs[receipt.turn_id].turn
    wanted = [goal if isinstance(goal, Goal) else Goal(goal) for goal in goals or [GOAL]]
    tasks = await node.engine.delegations.begin(turn, 1, index, wanted, is_inline=is_inline)
    await house.settle()
    return tasks


async def idle_parent(node: Node, house: House) -> tuple[str, Task]:
    """Start a parent that delegates in the background and ends its turn."""
    receipt = await working_parent(node, house)
    (task,) = await delegate(node, house, receipt)
    await finish(node, house, receipt)
    return receipt.session_id, task


def model_of(node: Node, receipt: Receipt) -> str:
    return node.agent.briefs[receipt.turn_id].turn.model


async def unasked(name: str) -> str:
    raise AssertionError("the call names no model")


async def turn_of(house: House, task: Task) -> Receipt:
    """The running turn of the sub-agent."""
    child = await session_of(house, task.child_session_id or "")
    assert child.active is not None
    return Receipt(child.id, child.active, is_queued=False)


async def lead(node: Node, house: House, task: Task, *orders: str) -> None:
    node.agent.order((await turn_of(house, task)).turn_id, *orders)
    await house.settle()


async def notices_in(house: House, session_id: str) -> list[str]:
    """All notices that ever reached the agent of this session."""
    return [event.data["content"] for event in await log_of(house, session_id) if event.kind == "notice"]


async def all_delegations(house: House, session_id: str) -> list[Task]:
    async def body(tx: Transaction) -> list[Task]:
        return [task for task in await tx.tasks.of_session(session_id) if task.kind is TaskKind.DELEGATION]

    return sorted(await house.store.read(body), key=lambda task: (task.index, task.part))


def completed(task: Task, answer: str) -> str:
    return f"[IMPORTANT: Background delegation {task.id} completed.\nGoal: {GOAL}\nResult:\n{answer}]\n{FENCE}"


async def successor_of(house: House, node: Node) -> Node:
    await house.kill(node)
    await house.advance(house.settings.lease_seconds)
    second = await house.start_node()
    await house.settle()
    return second


# The walk of a delegation.


async def test_a_goal_opens_a_new_session_that_is_like_its_parent(node: Node, house: House) -> None:
    parent = (await node.engine.create_session("alice", Address("telegram", "7", "9"), "demo:led", "/work")).id
    receipt = await send(node, parent, "get it done", address=Address("telegram", "7", "9"))
    await house.settle()
    (task,) = await delegate(node, house, receipt)
    child = await session_of(house, task.child_session_id or "")
    brief = node.agent.briefs[child.active or ""]
    here = node.agent.briefs[receipt.turn_id].turn
    assert (child.owner, child.address, child.model, child.workspace) == ("alice", here.address, "demo:led", "/work")
    assert (brief.turn.door, brief.turn.workspace, brief.turn.model) == (here.door, here.workspace, here.model)
    assert [message.text for message in brief.messages] == [GOAL]
    assert (child.title, child.task_id, task.owner) == (GOAL, task.id, "alice")
    assert "task_started" in kinds_of(await log_of(house, parent))


async def test_a_model_and_tools_of_its_own_stay_with_a_sub_agent_in_all_its_turns_also_after_a_kill(
    node: Node, house: House
) -> None:
    receipt = await working_parent(node, house)
    (task,) = await delegate(node, house, receipt, Goal(GOAL, "demo:small", ("read_file",)))
    await finish(node, house, receipt)
    child = await turn_of(house, task)
    await begin_task(node, child, "proc_1")
    second = await successor_of(house, node)
    resumed = second.agent.briefs[child.turn_id]
    await lead(second, house, task, "finish")
    await second.engine.tasks.finish("proc_1", exit_of("proc_1"))
    await house.settle()
    woken = second.agent.briefs[(await turn_of(house, task)).turn_id]
    assert woken.turn.is_wakeup
    assert [(brief.turn.model, brief.tools) for brief in (resumed, woken)] == [("demo:small", ("read_file",))] * 2
    await lead(second, house, task, "say nine")
    reported = second.agent.briefs[(await session_of(house, receipt.session_id)).active or ""]
    assert (reported.turn.model, reported.tools) == (model_of(node, receipt), None)


async def test_the_parent_hears_once_when_the_sub_agent_is_done(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    assert await wakeups_of(house, parent) == []
    await lead(node, house, task, "step", "say 42")
    (wakeup,) = await wakeups_of(house, parent)
    assert node.agent.briefs[wakeup].turn.source == "delegation_wakeup"
    assert await notices_in(house, parent) == [completed(task, "42")]
    ended = await task_of(house, task.id)
    assert (ended.status, ended.exit_code, ended.result) == (TaskStatus.EXITED, 0, "42")


async def test_the_end_of_a_sub_agent_joins_a_parent_that_is_still_at_work(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    (task,) = await delegate(node, house, receipt)
    await lead(node, house, task, "say 42")
    node.agent.order(receipt.turn_id, "step", "finish")
    await house.settle()
    assert node.agent.taken[receipt.turn_id] == [completed(task, "42")]
    assert await wakeups_of(house, receipt.session_id) == []


async def test_several_goals_are_several_sub_agents_and_cost_the_parent_one_turn_each_at_most(
    node: Node, house: House
) -> None:
    receipt = await working_parent(node, house)
    tasks = await delegate(node, house, receipt, "one", "two", "three")
    assert [(task.command, task.part) for task in tasks] == [("one", 0), ("two", 1), ("three", 2)]
    assert len({task.child_session_id for task in tasks}) == 3
    for task in tasks:
        await lead(node, house, task, "finish")
    await finish(node, house, receipt)
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    assert len(await notices_in(house, receipt.session_id)) == 3
    assert len(node.agent.briefs[wakeup].messages) == 5


async def test_a_sub_agent_is_woken_by_its_own_process_and_its_parent_hears_once_after_that(
    node: Node, house: House
) -> None:
    parent, task = await idle_parent(node, house)
    await begin_task(node, await turn_of(house, task), "build")
    await lead(node, house, task, "say it is building")
    assert (await task_of(house, task.id)).is_running
    assert await wakeups_of(house, parent) == []
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    assert await notices_in(house, task.child_session_id or "") == ["[build ended with 0]"]
    assert await wakeups_of(house, parent) == []
    await lead(node, house, task, "say it is built")
    assert await notices_in(house, parent) == [completed(task, "it is built")]
    assert len(await wakeups_of(house, parent)) == 1


async def test_a_process_without_a_promise_does_not_keep_a_sub_agent_from_being_done(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await begin_task(node, await turn_of(house, task), "server", will_notify=False)
    await lead(node, house, task, "say it serves")
    assert await notices_in(house, parent) == [completed(task, "it serves")]


async def test_a_process_whose_end_is_wanted_does_not_keep_a_sub_agent_from_being_done(
    node: Node, house: House
) -> None:
    parent, task = await idle_parent(node, house)
    await begin_task(node, await turn_of(house, task), "build")
    await lead(node, house, task, "say it is building")
    await node.engine.tasks.intend_kill("build")
    await house.settle()
    assert await notices_in(house, parent) == [completed(task, "it is building")]


async def test_a_sub_agent_of_a_sub_agent_wakes_it_and_not_the_first(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    inner = await turn_of(house, task)
    (below,) = await delegate(node, house, inner)
    await lead(node, house, task, "say I have asked somebody")
    await lead(node, house, below, "say 42")
    assert await notices_in(house, task.child_session_id or "") == [completed(below, "42")]
    assert await notices_in(house, parent) == []
    await lead(node, house, task, "say it is 42")
    assert await notices_in(house, parent) == [completed(task, "it is 42")]


async def test_the_notice_of_a_failed_sub_agent_has_the_reason_and_its_last_words(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await lead(node, house, task, "step", "fail")
    (notice,) = await notices_in(house, parent)
    assert f"delegation {task.id} failed." in notice
    assert "The endpoint is down.\nIts last words:\nworking" in notice
    assert (await task_of(house, task.id)).status is TaskStatus.FAILED


async def test_a_sub_agent_that_lacks_credentials_has_failed_whatever_it_still_waits_for(
    node: Node, house: House
) -> None:
    parent, task = await idle_parent(node, house)
    await begin_task(node, await turn_of(house, task), "build")
    await lead(node, house, task, "refuse")
    assert "The key is wrong." in (await notices_in(house, parent))[0]
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    assert await wakeups_of(house, task.child_session_id or "") == []


async def test_a_sub_agent_whose_wakeup_is_tried_again_is_not_done_before(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await begin_task(node, await turn_of(house, task), "build")
    await lead(node, house, task, "finish")
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    await lead(node, house, task, "fail")
    assert await notices_in(house, parent) == []
    await house.advance(house.settings.wake_retry_seconds)
    await house.settle()
    await lead(node, house, task, "say built at last")
    assert await notices_in(house, parent) == [completed(task, "built at last")]


async def test_words_of_a_user_to_a_sub_agent_come_before_its_end(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    child = task.child_session_id or ""
    await send(node, child, "count the goats too")
    await lead(node, house, task, "say 42")
    assert await notices_in(house, parent) == []
    await lead(node, house, task, "say 42 and 7")
    assert await notices_in(house, parent) == [completed(task, "42 and 7")]


async def test_a_message_to_a_sub_agent_that_was_done_is_an_ordinary_message(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await lead(node, house, task, "say 42")
    await house.advance(1)
    receipt = await send(node, task.child_session_id or "", "are you sure?")
    await house.settle()
    await begin_task(node, receipt, "recount")
    await finish(node, house, receipt)
    await node.engine.tasks.finish("recount", exit_of("recount"))
    await house.settle()
    assert len(await wakeups_of(house, task.child_session_id or "")) == 1
    assert len(await notices_in(house, parent)) == 1


# Stopping.


async def test_a_stopped_delegation_stops_its_turn_and_wakes_no_session(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    running = await turn_of(house, task)
    assert await node.engine.delegations.stop(task.id)
    assert not await node.engine.delegations.stop(task.id)
    assert kinds_of(await events_of(node, running.session_id, running.turn_id))[-1] == "cancelled"
    await house.settle()
    assert node.engine._runners.all() == []
    assert await wakeups_of(house, parent) == []
    assert (await task_of(house, task.id)).status is TaskStatus.KILLED
    assert kinds_of(await log_of(house, parent))[-1] == "process_complete"


async def test_delegations_that_are_stopped_while_others_are_looked_at_hold_nothing_up(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = await delegate(node, house, await working_parent(node, house), "one", "two", "three")
    delegations = node.engine.delegations
    settle = delegations._settle

    async def stop_all_first(watched: Any) -> None:
        monkeypatch.setattr(delegations, "_settle", settle)
        for task in tasks:
            await delegations.stop(task.id)
        await settle(watched)

    monkeypatch.setattr(delegations, "_settle", stop_all_first)
    delegations.take(tasks)
    await house.settle()
    assert [(await task_of(house, task.id)).status for task in tasks] == [TaskStatus.KILLED] * 3
    assert "broke" not in caplog.text


async def test_a_stopped_delegation_hears_neither_queued_words_nor_its_own_processes(node: Node, house: House) -> None:
    _, task = await idle_parent(node, house)
    child = task.child_session_id or ""
    await begin_task(node, await turn_of(house, task), "build")
    queued = await send(node, child, "count the goats too")
    await node.engine.delegations.stop(task.id)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    assert queued.turn_id not in node.agent.briefs
    assert kinds_of(await events_of(node, child, queued.turn_id)) == ["cancelled"]
    assert await wakeups_of(house, child) == []


async def test_a_delegation_that_was_stopped_while_it_waited_is_not_woken_later(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await begin_task(node, await turn_of(house, task), "build")
    await lead(node, house, task, "say it is building")
    assert await node.engine.delegations.stop(task.id)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    assert await wakeups_of(house, task.child_session_id or "") == []
    assert await notices_in(house, parent) == []


async def test_a_goal_that_was_stopped_before_it_was_opened_is_never_opened(house: House) -> None:
    first = await house.start_node(adopts=False)
    receipt = await working_parent(first, house)
    first.clock.fall_asleep()
    (task,) = await delegate(first, house, receipt)
    assert (await session_of(house, task.child_session_id or "")).active is None
    second = await house.start_node(adopts=False)
    assert await second.engine.delegations.stop(task.id)
    third = await house.start_node()
    first.clock.wake_up()
    await house.settle()
    child = await session_of(house, task.child_session_id or "")
    assert (child.active, child.head) == (None, None)
    assert (await task_of(house, task.id)).status is TaskStatus.KILLED
    assert third.agent.briefs == {}


async def test_a_user_who_stops_the_turn_of_a_sub_agent_ends_the_delegation(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await node.engine.cancel(task.child_session_id or "")
    await house.settle()
    assert (await task_of(house, task.id)).status is TaskStatus.KILLED
    assert await wakeups_of(house, parent) == []


async def test_a_user_who_interrupts_a_sub_agent_does_not_end_the_delegation(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await send(node, task.child_session_id or "", "only the black ones", if_busy=IfBusy.INTERRUPT)
    await house.settle()
    assert (await task_of(house, task.id)).is_running
    await lead(node, house, task, "say 1")
    assert await notices_in(house, parent) == [completed(task, "1")]


async def test_a_sub_agent_ends_at_its_time_limit_and_the_parent_gets_a_notice(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await lead(node, house, task, "step")
    await house.advance(house.settings.delegation_seconds)
    await house.settle()
    (notice,) = await notices_in(house, parent)
    assert "its time was over (WAKEFUL_DELEGATION_SECONDS)\nIts last words:\nworking" in notice
    assert (await task_of(house, task.id)).status is TaskStatus.FAILED
    child = await session_of(house, task.child_session_id or "")
    assert child.active is None


async def test_the_time_limit_also_ends_a_sub_agent_that_only_waits(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    await begin_task(node, await turn_of(house, task), "build")
    await lead(node, house, task, "finish")
    await house.advance(house.settings.delegation_seconds)
    await house.settle()
    assert "its time was over" in (await notices_in(house, parent))[0]


async def test_a_sub_agent_that_was_done_in_time_is_not_late_because_no_node_looked(house: House, node: Node) -> None:
    parent, task = await idle_parent(node, house)
    node.clock.fall_asleep()
    await lead(node, house, task, "say 42")
    await house.kill(node)
    await house.advance(2 * house.settings.delegation_seconds)
    await house.start_node()
    assert await notices_in(house, parent) == [completed(task, "42")]


# Limits.


async def test_there_are_only_so_many_sub_agents_at_a_time(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    limit = house.settings.delegation_limit
    tasks = await delegate(node, house, receipt, *["sheep"] * (limit - 1))
    with pytest.raises(TooManyDelegations, match="WAKEFUL_DELEGATION_LIMIT"):
        await delegate(node, house, receipt, "one", "two", index=2)
    assert len(await all_delegations(house, receipt.session_id)) == limit - 1
    await lead(node, house, tasks[0], "finish")
    assert len(await delegate(node, house, receipt, "one", "two", index=2)) == 2


async def test_sub_agents_delegate_only_so_deep(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    for _ in range(house.settings.delegation_depth):
        (task,) = await delegate(node, house, receipt)
        receipt = await turn_of(house, task)
    with pytest.raises(TooManyDelegations, match="WAKEFUL_DELEGATION_DEPTH"):
        await delegate(node, house, receipt)


async def test_a_turn_that_was_stopped_can_delegate_nothing_more(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    await node.engine.cancel(receipt.session_id)
    with pytest.raises(LeaseLost):
        await delegate(node, house, receipt)


# Inline sub-agents.


async def test_a_call_can_wait_for_its_sub_agents(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    tasks = await delegate(node, house, receipt, "one", "two", is_inline=True)
    waiting = asyncio.create_task(node.engine.delegations.ended([task.id for task in tasks]))
    await lead(node, house, tasks[1], "say second")
    assert not waiting.done()
    await lead(node, house, tasks[0], "say first")
    assert [task.result for task in await waiting] == ["first", "second"]
    await finish(node, house, receipt)
    assert await notices_in(house, receipt.session_id) == []


@pytest.mark.parametrize("how", ["cancel", "interrupt", "fail"])
async def test_inline_sub_agents_end_with_their_turn_and_background_ones_go_on(
    node: Node, house: House, how: str
) -> None:
    receipt = await working_parent(node, house)
    (inline,) = await delegate(node, house, receipt, is_inline=True)
    (background,) = await delegate(node, house, receipt, index=2)
    match how:
        case "cancel":
            await node.engine.cancel(receipt.session_id)
        case "interrupt":
            await send(node, receipt.session_id, "no, wait", if_busy=IfBusy.INTERRUPT)
        case "fail":
            node.agent.order(receipt.turn_id, "fail")
    await house.settle()
    assert (await task_of(house, inline.id)).status is TaskStatus.KILLED
    assert (await session_of(house, inline.child_session_id or "")).active is None
    assert (await task_of(house, background.id)).is_running
    await lead(node, house, background, "finish")
    assert (await task_of(house, background.id)).status is TaskStatus.EXITED


async def test_stopping_a_turn_stops_the_inline_sub_agents_of_its_inline_sub_agents(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    (inline,) = await delegate(node, house, receipt, is_inline=True)
    (below,) = await delegate(node, house, await turn_of(house, inline), is_inline=True)
    await node.engine.cancel(receipt.session_id)
    await house.settle()
    assert (await task_of(house, below.id)).status is TaskStatus.KILLED
    assert node.engine._runners.all() == []


async def test_sub_agents_of_a_door_that_cannot_deliver_work_and_wake_no_session(house: House) -> None:
    node = await house.start_node(adopts=False)
    receipt = await working_parent(node, house, door=ASK)
    (task,) = await delegate(node, house, receipt, is_inline=True)
    waiting = asyncio.create_task(node.engine.delegations.ended([task.id]))
    assert node.agent.briefs[(await turn_of(house, task)).turn_id].turn.door == ASK
    await lead(node, house, task, "say 42")
    assert [ended.result for ended in await waiting] == ["42"]
    await finish(node, house, receipt)
    assert await wakeups_of(house, receipt.session_id) == []


# Crashes.


async def test_the_same_call_again_finds_the_same_sub_agents(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    before = await delegate(node, house, receipt, "one", "two")
    turn, call = node.agent.briefs[receipt.turn_id].turn, (before[0].step or 0, before[0].index or 0)
    assert await node.engine.delegations.begun(turn, *call)
    assert not await node.engine.delegations.begun(turn, call[0], call[1] + 1)
    await lead(node, house, before[0], "finish")
    again = await delegate(node, house, receipt, "one", "two")
    assert [task.id for task in again] == [task.id for task in before]
    assert len(await all_delegations(house, receipt.session_id)) == 2
    assert (await session_of(house, before[0].child_session_id or "")).active is None


async def test_the_tool_carries_on_after_a_kill_and_answers_with_the_results(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    arguments = {"tasks": [{"goal": "one"}, {"goal": "two"}]}

    def call(on: Node) -> asyncio.Task[str]:
        async def run() -> str:
            context = ToolContext(on.agent.briefs[receipt.turn_id].turn, 1, 1, "call_1")
            in_memory = MemoryDelegations(NoBinder(), house.settings, HOST)
            return (await DelegateTool(on.engine.delegations, in_memory, unasked).run(arguments, context)).text

        return asyncio.create_task(run())

    cut_off = call(node)
    await house.settle()
    one, two = await all_delegations(house, receipt.session_id)
    await lead(node, house, one, "say first")
    second = await successor_of(house, node)
    cut_off.cancel()
    answer = call(second)
    await house.settle()
    await lead(second, house, two, "say second")
    results = orjson.loads(await answer)["results"]
    assert [(result["delegation_id"], result["result"]) for result in results] == [
        (one.id, "first"),
        (two.id, "second"),
    ]
    assert len(await all_delegations(house, receipt.session_id)) == 2


async def test_a_turn_that_is_stopped_while_it_delegates_leaves_no_sub_agent_unwatched(
    node: Node, house: House
) -> None:
    receipt = await working_parent(node, house)
    turn = node.agent.briefs[receipt.turn_id].turn
    call = asyncio.create_task(node.engine.delegations.begin(turn, 1, 1, [Goal(GOAL)], is_inline=False))
    await house.traffic.begun()
    call.cancel()
    await house.settle()
    await finish(node, house, receipt)
    (task,) = await all_delegations(house, receipt.session_id)
    await lead(node, house, task, "say 42")
    assert await notices_in(house, receipt.session_id) == [completed(task, "42")]


async def test_a_node_that_missed_everything_finds_its_delegations_when_it_hears_again(
    node: Node, house: House
) -> None:
    parent, task = await idle_parent(node, house)
    node.engine.delegations._watched.clear()
    await lead(node, house, task, "say 42")
    assert await notices_in(house, parent) == []
    node.store.tell(Signal(frozenset(), is_everything=True))
    await house.settle()
    assert await notices_in(house, parent) == [completed(task, "42")]


async def test_a_node_that_cannot_read_what_it_has_missed_reads_it_later(node: Node, house: House) -> None:
    parent, task = await idle_parent(node, house)
    delegations, own = node.engine.delegations, node.engine.delegations._own
    delegations._watched.clear()
    await lead(node, house, task, "say 42")

    async def fail_once(_: Transaction) -> list[Task]:
        delegations._own = own  # type: ignore[method-assign]
        raise StoreUnavailable

    delegations._own = fail_once  # type: ignore[method-assign, assignment]
    node.store.tell(Signal(frozenset(), is_everything=True))
    await house.settle()
    assert await notices_in(house, parent) == []
    await house.advance(1)
    await house.settle()
    assert await notices_in(house, parent) == [completed(task, "42")]


async def test_a_delegation_is_watched_even_if_its_commit_seemed_to_fail(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    write = node.store.write

    async def commit_and_fail(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        node.store.write = write  # type: ignore[method-assign]
        await write(body, lock=lock, patience=patience)
        raise StoreUnavailable

    node.store.write = commit_and_fail  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        await delegate(node, house, receipt)
    await finish(node, house, receipt)
    (task,) = await all_delegations(house, receipt.session_id)
    await lead(node, house, task, "say 42")
    assert await notices_in(house, receipt.session_id) == [completed(task, "42")]


@pytest.mark.parametrize("part", ["_now", "_settle"])
async def test_a_store_that_fails_when_a_delegation_ends_costs_a_moment(node: Node, house: House, part: str) -> None:
    parent, task = await idle_parent(node, house)
    delegations = node.engine.delegations
    whole = getattr(delegations, part)

    async def fail_once(*_: object) -> None:
        setattr(delegations, part, whole)
        raise StoreUnavailable

    setattr(delegations, part, fail_once)
    await lead(node, house, task, "say 42")
    assert await notices_in(house, parent) == []
    await house.advance(1)
    await house.settle()
    assert await notices_in(house, parent) == [completed(task, "42")]


@pytest.mark.parametrize("calls", range(1, 8))
async def test_a_node_that_dies_while_it_delegates_is_carried_on_exactly_once(
    node: Node, house: House, calls: int
) -> None:
    receipt = await working_parent(node, house)
    turn = node.agent.briefs[receipt.turn_id].turn
    node.store.fuse = calls
    cut_off = asyncio.create_task(
        node.engine.delegations.begin(turn, 1, 1, [Goal("one"), Goal("two")], is_inline=False)
    )
    await house.settle()
    cut_off.cancel()
    second = await successor_of(house, node)
    tasks = await delegate(second, house, receipt, "one", "two")
    assert len(await all_delegations(house, receipt.session_id)) == 2
    for task in tasks:
        await lead(second, house, task, "finish")
    await finish(second, house, receipt)
    assert len(await notices_in(house, receipt.session_id)) == 2
    assert len(await wakeups_of(house, receipt.session_id)) == 1


@pytest.mark.parametrize("calls", range(1, 8))
@pytest.mark.parametrize("how", ["say 42", "fail", "stop"])
async def test_a_node_that_dies_while_a_delegation_ends_is_carried_on_exactly_once(
    node: Node, house: House, calls: int, how: str
) -> None:
    parent, task = await idle_parent(node, house)
    running = await turn_of(house, task)
    node.store.fuse = calls
    stopping = None
    if how == "stop":
        stopping = asyncio.create_task(node.engine.delegations.stop(task.id))
    else:
        node.agent.order(running.turn_id, how)
    await house.settle()
    second = await successor_of(house, node)
    if stopping is not None:
        stopping.cancel()
        await second.engine.delegations.stop(task.id)
    for turn_id in second.engine._runners._running:
        second.agent.order(turn_id, how)
    await house.settle()
    await house.advance(1)
    await house.settle()
    wanted = {"say 42": TaskStatus.EXITED, "fail": TaskStatus.FAILED, "stop": TaskStatus.KILLED}[how]
    assert (await task_of(house, task.id)).status is wanted
    assert len(await notices_in(house, parent)) == (0 if how == "stop" else 1)
    assert kinds_of(await log_of(house, parent)).count("process_complete") == 1


# Several nodes.


async def test_a_sub_agent_may_run_on_another_node_than_its_parent(house: House) -> None:
    first, second = await house.start_node(), await house.start_node()
    parent, task = await idle_parent(first, house)
    running = await turn_of(house, task)
    first.fall_asleep()
    await house.advance(house.settings.lease_seconds)
    await house.settle()
    second.agent.order(running.turn_id, "say 42")
    await house.settle()
    first.wake_up()
    await house.settle()
    assert await notices_in(house, parent) == [completed(task, "42")]
    assert len(await wakeups_of(house, parent)) == 1


async def test_a_delegation_can_be_stopped_from_another_node(house: House) -> None:
    first, second = await house.start_node(), await house.start_node()
    parent, task = await idle_parent(first, house)
    assert await second.engine.delegations.stop(task.id)
    await house.settle()
    assert first.engine._runners.all() == []
    assert (await task_of(house, task.id)).status is TaskStatus.KILLED
    assert await notices_in(house, parent) == []


async def test_stopping_a_turn_from_another_node_stops_its_inline_sub_agents(house: House) -> None:
    first, second = await house.start_node(), await house.start_node()
    receipt = await working_parent(first, house)
    (task,) = await delegate(first, house, receipt, is_inline=True)
    waiting = asyncio.create_task(second.engine.delegations.ended([task.id]))
    await second.engine.cancel(receipt.session_id)
    await house.settle()
    assert [ended.status for ended in await waiting] == [TaskStatus.KILLED]
    assert first.engine._runners.all() == []


async def test_nodes_that_share_only_a_server_carry_each_others_delegations(couple: tuple[House, Node, Node]) -> None:
    house, first, second = couple
    parent, task = await idle_parent(first, house)
    running = await turn_of(house, task)
    first.fall_asleep()
    await house.advance(house.settings.lease_seconds)
    await until(lambda: is_at_work(second, running.turn_id))
    first.wake_up()
    second.agent.order(running.turn_id, "say 42")
    await until(lambda: has_heard(house, parent))
    await house.settle()
    assert await notices_in(house, parent) == [completed(task, "42")]
    assert len(await wakeups_of(house, parent)) == 1


async def test_a_call_hears_of_a_sub_agent_that_ends_on_another_server(couple: tuple[House, Node, Node]) -> None:
    house, first, second = couple
    receipt = await working_parent(first, house)
    (task,) = await delegate(first, house, receipt, is_inline=True)
    waiting = asyncio.create_task(second.engine.delegations.ended([task.id]))
    await house.settle()
    await lead(first, house, task, "say 42")
    async with asyncio.timeout(PATIENCE):
        assert [ended.result for ended in await waiting] == ["42"]


async def test_stopping_a_turn_on_another_server_stops_its_inline_sub_agents(couple: tuple[House, Node, Node]) -> None:
    house, first, second = couple
    receipt = await working_parent(first, house)
    (task,) = await delegate(first, house, receipt, is_inline=True)
    waiting = asyncio.create_task(first.engine.delegations.ended([task.id]))
    await second.engine.cancel(receipt.session_id)
    async with asyncio.timeout(PATIENCE):
        assert [ended.status for ended in await waiting] == [TaskStatus.KILLED]


async def is_at_work(node: Node, turn_id: str) -> bool:
    return turn_id in node.agent.briefs


async def has_heard(house: House, session_id: str) -> bool:
    return bool(await notices_in(house, session_id))


async def test_the_limits_are_settings(house: House) -> None:
    house.settings = replace(house.settings, delegation_limit=1, delegation_depth=1, delegation_seconds=10.0)
    node = await house.start_node()
    parent, task = await idle_parent(node, house)
    with pytest.raises(TooManyDelegations):
        await delegate(node, house, await turn_of(house, task))
    await house.advance(10)
    await house.settle()
    assert len(await notices_in(house, parent)) == 1
