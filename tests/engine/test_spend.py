"""A day that has cost enough: what nobody has asked for waits, what people write runs, and at last nothing does."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.engine.cron import add, job_now, pass_time, runs_of, schedules_on
from tests.engine.kit import (
    HOME,
    WEB,
    House,
    Node,
    begin_task,
    events_of,
    exit_of,
    finish,
    log_of,
    open_session,
    send,
    session_of,
    wakeups_of,
)
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.settings import EngineSettings
from wakeful.errors import LimitReached
from wakeful.model.event import Event
from wakeful.model.ids import new_id
from wakeful.model.journal.fact import Answered, Wasted
from wakeful.model.journal.message import AssistantMessage, Usage, UserMessage
from wakeful.model.schedules.cron_job import RunStatus
from wakeful.model.session import Session, WakeReason
from wakeful.model.spend import DAY_SECONDS, Spend, end_of_day
from wakeful.model.turn import Turn, TurnStatus

CAP = 5.0


@pytest.fixture
async def node(house: House) -> Node:
    house.settings = EngineSettings(stop_grace_seconds=1.0, daily_spend_usd=CAP, daily_spend_hard_usd=4 * CAP)
    return await house.start_node()


async def spend(node: Node, house: House, usd: float | None, session_id: str = "") -> str:
    """Let an answer cost so much, in a session of its own or in this one; return the session."""
    session_id = session_id or await open_session(node)
    receipt = await send(node, session_id, f"spend {usd} {new_id('x')}")
    await answer(node, receipt, usd)
    await house.settle()
    return session_id


async def answer(node: Node, receipt: Receipt, usd: float | None) -> None:
    node.agent.tell(receipt.turn_id, Answered(1, AssistantMessage("done"), Usage(100, 10), cost_usd=usd))
    node.agent.order(receipt.turn_id, "end")
    await events_of(node, receipt.session_id, receipt.turn_id)


async def session_with_task(node: Node, house: House) -> str:
    session_id = await open_session(node)
    receipt = await send(node, session_id, "start it")
    await house.settle()
    await begin_task(node, receipt, "build")
    await finish(node, house, receipt)
    return session_id


async def hook_fires(node: Node, session: Session | None, session_id: str, key: str) -> Receipt:
    message = Submission(session_id, f"hook {key}", WEB, HOME, key, "demo:led", source="webhook", session=session)
    return await node.engine.submit(message, before=_nothing_before)


async def _nothing_before(tx: object) -> None:
    return None


def waits_in(log: Sequence[Event]) -> list[dict[str, object]]:
    return [event.data for event in log if event.kind == "wake_waits"]


async def test_a_wake_up_waits_until_midnight(node: Node, house: House) -> None:
    session_id = await session_with_task(node, house)
    await spend(node, house, CAP)
    midnight = end_of_day(house.clock.time())

    await node.engine.tasks.finish("build", exit_of("build"))
    await house.wait_for_company()

    assert await wakeups_of(house, session_id) == []
    (waits,) = waits_in(await log_of(house, session_id))
    assert waits == {"session_id": session_id, "until": midnight, "reason": "spend"}
    session = await session_of(house, session_id)
    assert (session.wake_at, session.wake_reason) == (midnight, WakeReason.SPEND)
    await pass_time(house, midnight - house.clock.time() - 1)
    assert await wakeups_of(house, session_id) == []
    await pass_time(house, 1)
    assert len(await wakeups_of(house, session_id)) == 1


async def test_below_the_cap_and_with_unpriced_answers_everything_wakes(node: Node, house: House) -> None:
    session_id = await session_with_task(node, house)
    await spend(node, house, CAP - 0.01)
    await spend(node, house, None)

    await node.engine.tasks.finish("build", exit_of("build"))
    await house.wait_for_company()

    assert len(await wakeups_of(house, session_id)) == 1


async def test_the_next_message_takes_the_notices_that_wait(node: Node, house: House) -> None:
    session_id = await session_with_task(node, house)
    await spend(node, house, CAP)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.wait_for_company()

    following = await send(node, session_id, "anything new?")
    await house.settle()

    heard = [message for message in node.agent.briefs[following.turn_id].messages if isinstance(message, UserMessage)]
    assert heard[-2].text == "[build ended with 0]"


async def test_the_answer_that_reaches_the_cap_holds_back_what_waits_behind_it(node: Node, house: House) -> None:
    session_id = await open_session(node)
    receipt = await send(node, session_id, "start it")
    await house.settle()
    await begin_task(node, receipt, "build")
    await node.engine.tasks.finish("build", exit_of("build"))

    await answer(node, receipt, CAP)
    await house.settle()

    assert await wakeups_of(house, session_id) == []
    assert len(waits_in(await log_of(house, session_id))) == 1


async def test_a_schedule_waits_in_its_new_session_and_runs_after_midnight(node: Node, house: House) -> None:
    desk = schedules_on(node)
    job = await add(desk, "every 1h")
    await spend(node, house, CAP)

    await pass_time(house, 3600)
    await pass_time(house, 3600)

    waiting, skipped = await runs_of(house, job)
    assert (waiting.status, skipped.reason) == (RunStatus.QUEUED, "still_running")
    assert len(waits_in(await log_of(house, waiting.session_id))) == 1
    await pass_time(house, end_of_day(house.clock.time()) - house.clock.time())
    assert next(run for run in await runs_of(house, job) if run.turn_id == waiting.turn_id).status is RunStatus.RUNNING
    assert (await job_now(house, job)).status == "active"


async def test_a_schedule_that_is_run_by_hand_runs(node: Node, house: House) -> None:
    desk = schedules_on(node)
    job = await add(desk, "every 1h")
    await spend(node, house, CAP)

    run = await desk.run_now("operator", job.id)

    assert run.status is RunStatus.RUNNING


async def test_hooks_wait_and_a_message_lets_all_of_them_go_on(node: Node, house: House) -> None:
    session_id = await spend(node, house, CAP)
    first = await hook_fires(node, None, session_id, "a")
    second = await hook_fires(node, None, session_id, "b")
    await house.settle()
    assert (first.is_queued, second.is_queued) == (True, True)
    assert len(waits_in(await log_of(house, session_id))) == 1

    await house.advance(1)
    await finish(node, house, await send(node, session_id, "go on"))
    await finish(node, house, first)
    await finish(node, house, second)

    later = await hook_fires(node, None, session_id, "c")
    assert later.is_queued
    assert len(waits_in(await log_of(house, session_id))) == 2


async def test_the_first_message_of_a_hook_waits_in_its_new_session(node: Node, house: House) -> None:
    await spend(node, house, CAP)
    session = Session(new_id("ses"), "me", HOME, "demo:led", "/")

    receipt = await hook_fires(node, session, session.id, "a")

    made = await session_of(house, session.id)
    assert (receipt.is_queued, made.active, made.created_at) == (True, None, house.clock.time())


async def test_a_node_that_starts_after_midnight_opens_what_waited(node: Node, house: House) -> None:
    session_id = await session_with_task(node, house)
    await spend(node, house, CAP)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.wait_for_company()
    await house.kill(node)
    await house.advance(DAY_SECONDS)

    await house.start_node()

    assert len(await wakeups_of(house, session_id)) == 1


@pytest.mark.parametrize("cap", [None, 2 * CAP])
async def test_a_node_that_starts_with_a_higher_cap_opens_what_waited(
    node: Node, house: House, cap: float | None
) -> None:
    session_id = await session_with_task(node, house)
    await spend(node, house, CAP)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.wait_for_company()
    await house.kill(node)
    same = await house.start_node()
    assert await wakeups_of(house, session_id) == []
    await house.kill(same)

    house.settings = replace(house.settings, daily_spend_usd=cap)
    await house.start_node()

    assert len(await wakeups_of(house, session_id)) == 1


async def test_at_the_hard_cap_no_model_is_asked_until_midnight(node: Node, house: House) -> None:
    guard = node.processes.ledger.spend
    await spend(node, house, 4 * CAP - 0.01)
    await guard.check()

    await spend(node, house, 0.01)

    with pytest.raises(LimitReached) as limit:
        await guard.check()
    assert limit.value.code == "spend_limit"
    assert str(limit.value) == (
        "Today's spend has reached its limit of 20 USD (WAKEFUL_DAILY_SPEND_HARD_USD): no model is asked "
        "until midnight UTC, or until the limit is raised and Wakeful started again."
    )
    await house.advance(end_of_day(house.clock.time()) - house.clock.time())
    await guard.check()


async def test_an_answer_that_is_of_no_use_counts_all_the_same(node: Node, house: House) -> None:
    session_id = await open_session(node)
    receipt = await send(node, session_id, "hello")
    await house.settle()
    node.agent.tell(receipt.turn_id, Wasted(1, Spend(50, 5, 1.0)))
    await answer(node, receipt, 2.0)
    await house.settle()

    assert (await session_of(house, session_id)).spend == Spend(150, 15, 3.0)


async def test_a_turn_is_given_the_check(node: Node, house: House) -> None:
    receipt = await send(node, await open_session(node), "hello")
    await house.settle()

    assert node.agent.briefs[receipt.turn_id].check_spend == node.processes.ledger.spend.check


async def test_a_turn_that_is_not_stored_counts_for_its_owner_and_is_checked(node: Node, house: House) -> None:
    turn = replace(_turn(), id=new_id("turn"))
    node.agent.tell(turn.id, Wasted(1, Spend(50, 5, CAP)))
    node.agent.tell(turn.id, Answered(1, AssistantMessage("done"), Usage(100, 10), cost_usd=CAP))
    node.agent.order(turn.id, "end")

    _ = [item async for item in node.engine.ephemeral.run(turn, [UserMessage("hi")], "carol")]

    spent = await house.store.read(lambda tx: tx.spending.since(0, "carol"))
    assert list(spent.values()) == [Spend(150, 15, 2 * CAP)]
    assert node.agent.briefs[turn.id].check_spend == node.processes.ledger.spend.check


async def test_a_resumed_turn_counts_a_recorded_answer_once(node: Node, house: House) -> None:
    session_id = await open_session(node)
    receipt = await send(node, session_id, "work")
    await house.settle()
    node.agent.order(receipt.turn_id, "step")
    await house.settle()
    await house.kill(node)

    other = await house.start_node()
    await house.advance(house.settings.lease_seconds)
    await house.settle()
    await finish(other, house, receipt)

    assert (await session_of(house, session_id)).spend == Spend(2, 2, 0.0, 4)


def _turn() -> Turn:
    return Turn(
        "", "ses_none", None, WEB, HOME, "user", False, "demo:led", TurnStatus.RUNNING, None, 0, is_ephemeral=True
    )
