"""Clocks that are set, and machines that sleep: work with a stored time is still done in time."""

import asyncio

import pytest

from tests.engine.kit import (
    House,
    Node,
    begin_task,
    exit_of,
    finish,
    open_session,
    send,
    session_of,
    task_of,
    wakeups_of,
)
from wakeful.engine.inbox.submission import Receipt
from wakeful.engine.settings import EngineSettings
from wakeful.model.approvals.approval import Choice, Question, Reason
from wakeful.model.tasks.goal import Goal

HOURS = 7200.0


async def asking(node: Node, receipt: Receipt) -> asyncio.Task[Choice | None]:
    turn = node.agent.briefs[receipt.turn_id].turn
    question = Question("call_1", "terminal", "rm -r x", (Reason("delete", "removes files"),))
    return asyncio.create_task(node.engine.approvals.ask(turn, 1, 1, question))


async def begun(node: Node, house: House) -> Receipt:
    receipt = await send(node, await open_session(node), "go")
    await house.settle()
    return receipt


async def pass_time(house: House, seconds: float) -> None:
    """Advance the clock in small steps, as time passes."""
    for _ in range(round(seconds / 60)):
        await house.advance(60)
        await house.settle()


@pytest.mark.parametrize(("jump", "passes"), [(HOURS, 60), (-HOURS, 300)])
async def test_a_question_expires_whatever_becomes_of_the_clock(
    house: House, node: Node, jump: float, passes: float
) -> None:
    asked = await asking(node, await begun(node, house))
    await house.settle()
    await house.set_store_clock(jump)
    await pass_time(house, passes)
    assert await asyncio.wait_for(asked, 10) is None


@pytest.mark.parametrize(("jump", "passes"), [(HOURS, 60), (-HOURS, 3600)])
async def test_the_time_of_a_sub_agent_ends_whatever_becomes_of_the_clock(
    house: House, node: Node, jump: float, passes: float
) -> None:
    receipt = await begun(node, house)
    turn = node.agent.briefs[receipt.turn_id].turn
    (task,) = await node.engine.delegations.begin(turn, 1, 1, [Goal("count")], is_inline=False)
    await house.settle()
    await house.set_store_clock(jump)
    await pass_time(house, passes)
    assert not (await task_of(house, task.id)).is_running


@pytest.mark.parametrize("jump", [HOURS, -HOURS])
async def test_a_wakeup_is_tried_again_whatever_becomes_of_the_clock(house: House, node: Node, jump: float) -> None:
    receipt = await begun(node, house)
    await begin_task(node, receipt, "build")
    await finish(node, house, receipt)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    (first,) = await wakeups_of(house, receipt.session_id)
    node.agent.order(first, "fail")
    await house.settle()
    await house.set_store_clock(jump)
    await pass_time(house, 60)
    assert len(await wakeups_of(house, receipt.session_id)) == 2


@pytest.mark.parametrize("jump", [HOURS, -HOURS])
async def test_a_deleted_session_is_purged_whatever_becomes_of_the_clock(house: House, node: Node, jump: float) -> None:
    receipt = await begun(node, house)
    await finish(node, house, receipt)
    await node.engine.purger.delete(receipt.session_id)
    await house.settle()
    await house.set_store_clock(jump)
    await pass_time(house, 180)
    assert await house.store.read(lambda tx: tx.sessions.get(receipt.session_id)) is None


async def test_a_session_that_comes_back_while_the_purger_counts_anew_stays(house: House, node: Node) -> None:
    receipt = await begun(node, house)
    await finish(node, house, receipt)
    await node.engine.purger.delete(receipt.session_id)
    await house.set_store_clock(-HOURS)
    await node.engine.purger.restore(receipt.session_id)
    await node.engine.purger._purge_soon(receipt.session_id)
    assert not (await session_of(house, receipt.session_id)).is_deleted


async def test_wakeups_of_the_future_do_not_use_up_the_budget(house: House) -> None:
    house.settings = EngineSettings(stop_grace_seconds=1.0, wake_budget_per_hour=1)
    node = await house.start_node()
    receipt = await begun(node, house)
    for name in ("one", "two"):
        await begin_task(node, receipt, name)
    await finish(node, house, receipt)
    await node.engine.tasks.finish("one", exit_of("one"))
    await house.wait_for_company()
    (first,) = await wakeups_of(house, receipt.session_id)
    node.agent.order(first, "finish")
    await node.engine.tasks.finish("two", exit_of("two"))
    await house.wait_for_company()
    assert len(await wakeups_of(house, receipt.session_id)) == 1
    await house.set_store_clock(-HOURS)
    await pass_time(house, 60)
    assert len(await wakeups_of(house, receipt.session_id)) == 2
