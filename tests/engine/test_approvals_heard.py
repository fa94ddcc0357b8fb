"""How a call waits for its answer: what it hears, how long it waits, and what it leaves behind."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from tests.engine.asking import DELETES, ask, questions_in, sub_agent_of, working
from tests.engine.kit import HOME, House, Node, NodeStore, log_of, own_commit
from tests.engine.test_ephemeral import ephemeral_turn
from tests.store.nouns import an_approval
from wakeful.errors import LeaseLost
from wakeful.model.approvals.approval import Approval, Choice, Question
from wakeful.model.session import Session
from wakeful.store.base import Body, Signal

pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)

QUESTION = Question("call_1", "terminal", "rm -r /srv", DELETES)


def note_looks(node: Node, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note whose questions are looked at."""
    desk, looked = node.engine.approvals, []
    look_at = desk._look_at

    def note(asked: Approval) -> Body[Approval]:
        looked.append(asked.session_id)
        return look_at(asked)

    monkeypatch.setattr(desk, "_look_at", note)
    return looked


@pytest.mark.parametrize(
    ("signal", "looked"),
    [
        (lambda session: own_commit(session, "approval_answered"), 1),
        (lambda session: Signal(frozenset({session})), 1),
        (lambda session: own_commit(session, "usage"), 0),
        (lambda session: own_commit("elsewhere", "approval_answered"), 0),
        (lambda session: Signal(frozenset({"elsewhere"})), 0),
        (lambda session: Signal(frozenset(), is_everything=True), 2),
    ],
)
async def test_a_call_looks_for_its_answer_only_when_there_may_be_one(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch, signal: Callable[[str], Signal], looked: int
) -> None:
    receipts = [await working(node, house) for _ in range(2)]
    waiting = [await ask(node, house, receipt) for receipt in receipts]
    seen = note_looks(node, monkeypatch)

    node.store.tell(signal(receipts[0].session_id))
    await house.settle()

    assert seen == [receipt.session_id for receipt in receipts][:looked]
    for asking in waiting:
        asking.cancel()


async def test_an_answer_that_comes_before_the_call_waits_is_not_missed(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = await working(node, house)
    desk = node.engine.approvals
    now = desk._now

    async def answer_meanwhile() -> float:
        monkeypatch.setattr(desk, "_now", now)
        await desk.answer(receipt.session_id, "call_1", Choice.ONCE)
        return await now()

    monkeypatch.setattr(desk, "_now", answer_meanwhile)
    asking = await ask(node, house, receipt)

    assert asking.done()
    assert asking.result() is Choice.ONCE


async def test_calls_of_one_session_wait_for_their_own_answers_and_leave_nothing_behind(
    node: Node, house: House
) -> None:
    receipt = await working(node, house)
    first = await ask(node, house, receipt)
    second, third = [await ask(node, house, receipt, index=index, call_id=f"call_{index}") for index in (2, 3)]

    await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.DENY)
    await house.settle()
    assert (first.done(), second.done()) == (True, False)
    await node.engine.approvals.answer(receipt.session_id, "call_2", Choice.ONCE)
    await house.settle()
    assert second.done()
    assert list(node.engine.approvals._waiting) == [receipt.session_id]
    third.cancel()
    await asyncio.wait([third])

    assert node.engine.approvals._waiting == {}


async def test_a_call_that_lost_its_turn_leaves_nothing_behind(node: Node, house: House) -> None:
    receipt = await working(node, house)
    turn = node.agent.briefs[receipt.turn_id].turn

    with pytest.raises(LeaseLost):
        await node.engine.approvals.ask(replace(turn, epoch=turn.epoch + 1), 1, 1, QUESTION)

    assert node.engine.approvals._waiting == {}


async def test_a_question_is_open_until_it_is_answered(node: Node, house: House) -> None:
    receipt = await working(node, house)
    turn, desk = node.agent.briefs[receipt.turn_id].turn, node.engine.approvals
    assert not await desk.is_waiting(turn, 1, 2)
    asking = await ask(node, house, receipt, index=2)

    assert await desk.is_waiting(turn, 1, 2)
    assert not await desk.is_waiting(turn, 2, 1)
    assert (await desk.standing(turn, 1, 2)).has_asked
    assert not (await desk.standing(turn, 2, 1)).has_asked
    await desk.answer(receipt.session_id, "call_1", Choice.ONCE)
    assert await asking is Choice.ONCE
    assert not await desk.is_waiting(turn, 1, 2)


async def test_a_question_expires_when_its_time_is_over_and_not_before(node: Node, house: House) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)

    await house.advance(house.settings.approval_seconds - 0.5)
    node.store.tell(Signal(frozenset({receipt.session_id})))
    await house.settle()
    assert not asking.done()
    await house.advance(0.5)
    await house.settle()

    assert asking.done()
    assert asking.result() is None


async def test_a_clock_that_was_set_forwards_is_noticed_within_a_minute(node: Node, house: House) -> None:
    asking = await ask(node, house, await working(node, house))
    await house.set_store_clock(house.settings.approval_seconds)
    await house.settle()

    await house.advance(60)
    await house.settle()

    assert asking.done()


async def test_the_expiry_of_a_question_is_told_once_however_many_notice_it(node: Node, house: House) -> None:
    receipt = await working(node, house)
    waiting = [await ask(node, house, receipt) for _ in range(2)]
    assert len(await questions_in(house, receipt.session_id)) == 1

    await house.advance(house.settings.approval_seconds)
    await house.settle()

    assert [asking.result() for asking in waiting] == [None, None]
    answered = [event for event in await log_of(house, receipt.session_id) if event.kind == "approval_answered"]
    assert len(answered) == 1


async def test_a_turn_that_another_node_has_taken_over_lets_no_question_expire(node: Node, house: House) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)
    await house.start_node()
    node.fall_asleep()
    await house.advance(house.settings.lease_seconds * 2)
    await house.settle()

    await house.advance(house.settings.approval_seconds)
    node.clock.wake_up()
    await house.settle()

    assert isinstance(asking.exception(), LeaseLost)
    assert not [event for event in await log_of(house, receipt.session_id) if event.kind == "approval_answered"]


async def test_a_call_id_with_a_colon_is_found_in_its_own_session(node: Node, house: House) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt, call_id="functions:0")

    await node.engine.approvals.answer(receipt.session_id, "functions:0", Choice.ONCE)

    assert await asking is Choice.ONCE


async def test_a_question_that_is_gone_is_seen_as_it_was_asked(node: Node, house: House) -> None:
    gone = an_approval("unknown")

    assert await house.store.read(node.engine.approvals._look_at(gone)) == gone


async def test_the_question_of_a_sub_agent_in_a_chat_is_one_of_that_chat(node: Node, house: House) -> None:
    chat = Session("chatting", "me", HOME, "demo:led", "/nowhere/shop", chat_key="telegram:7")
    await house.store.write(lambda tx: tx.sessions.create_if_absent(chat))
    parent = await working(node, house, session="chatting")
    child = await sub_agent_of(node, house, parent)

    asking = await ask(node, house, child)

    asked = await house.store.read(lambda tx: tx.approvals.get(child.turn_id, 1, 1))
    assert asked is not None
    assert (asked.chat_key, asked.folder) == ("telegram:7", "/nowhere/shop")
    asking.cancel()


async def test_a_turn_that_is_not_stored_has_the_mode_of_the_server_and_no_grants(node: Node, house: House) -> None:
    turn, desk = ephemeral_turn(), node.engine.approvals

    standing = await desk.standing(turn, 1, 1)

    assert (standing.mode, standing.has_asked, standing.is_unasked) == (house.settings.permission_mode, False, False)
    assert await desk.uncovered(turn, 1, 1, QUESTION) == DELETES


async def test_sessions_whose_signal_may_be_lost_are_watched_while_a_call_or_a_sub_agent_is_waited_for(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching: list[Callable[[], Iterable[str]]] = []
    monkeypatch.setattr(NodeStore, "watch", lambda store, followed: watching.append(followed))
    node = await house.start_node()
    receipt = await working(node, house)
    child = await sub_agent_of(node, house, receipt)
    asking = await ask(node, house, receipt)

    followed = [set(sessions()) for sessions in watching]

    assert {receipt.session_id} in followed
    assert {receipt.session_id, child.session_id} in followed
    asking.cancel()
