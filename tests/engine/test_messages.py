"""What becomes of a message, in an idle session and in a busy one."""

import asyncio

import pytest

from tests.engine.kit import House, Node, events_of, items_of, kinds_of, open_session, send
from wakeful.errors import NotQueued, SessionBusy, SessionNotFound
from wakeful.model.event import Event
from wakeful.model.inbox import IfBusy
from wakeful.model.journal.message import UserMessage


async def test_a_message_to_an_idle_session_opens_a_turn_and_is_answered(node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    node.agent.order(receipt.turn_id, "token", "step", "finish")
    events = await items_of(node, session, receipt.turn_id)
    assert not receipt.is_queued
    assert kinds_of(events) == ["turn_started", "message", "token", "tool", "usage", "tool_complete", "usage", "done"]
    assert [event.turn_seq for event in events if isinstance(event, Event)] == list(range(1, 8))


async def test_a_message_to_a_busy_session_waits_for_the_next_turn(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    second = await send(node, session, "second")
    assert second.is_queued
    node.agent.order(first.turn_id, "finish")
    await events_of(node, session, first.turn_id)
    await house.settle()
    assert node.agent.briefs[second.turn_id].turn.parent == first.turn_id


async def test_the_same_message_twice_is_one_message(node: Node) -> None:
    session = await open_session(node)
    first = await send(node, session, "hello", key="k")
    again = await send(node, session, "other words", key="k")
    assert again.turn_id == first.turn_id


async def test_a_rejected_message_leaves_nothing_behind(node: Node) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    with pytest.raises(SessionBusy) as busy:
        await send(node, session, "second", if_busy=IfBusy.REJECT)
    assert busy.value.active_turn_id == first.turn_id
    assert await node.store.read(lambda tx: tx.inbox.pending(session)) == []


async def test_a_message_to_no_session_is_refused(node: Node) -> None:
    with pytest.raises(SessionNotFound):
        await send(node, "ses_nowhere", "hello")


async def test_steering_words_reach_the_model_before_its_next_call(node: Node) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    words = await send(node, session, "left!", if_busy=IfBusy.STEER)
    node.agent.order(first.turn_id, "step", "finish")
    await events_of(node, session, first.turn_id)
    assert node.agent.taken[first.turn_id] == ["left!"]
    (last,) = await events_of(node, session, words.turn_id)
    assert (last.kind, last.turn_seq, last.data) == ("done", 1, {"joined": first.turn_id})


async def test_steering_words_that_no_step_took_open_the_next_turn_under_their_own_id(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    await send(node, session, "queued")
    words = await send(node, session, "left!", if_busy=IfBusy.STEER)
    node.agent.order(first.turn_id, "finish")
    await events_of(node, session, first.turn_id)
    await house.settle()
    assert node.agent.briefs[words.turn_id].messages[-1] == UserMessage("left!")


async def test_an_interrupting_message_goes_ahead_of_the_queue(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    queued = await send(node, session, "queued")
    urgent = await send(node, session, "urgent", if_busy=IfBusy.INTERRUPT)
    await house.settle()
    assert kinds_of(await events_of(node, session, first.turn_id))[-1] == "cancelled"
    node.agent.order(urgent.turn_id, "finish")
    await events_of(node, session, urgent.turn_id)
    await house.settle()
    assert node.agent.briefs[queued.turn_id].turn.parent == urgent.turn_id


async def test_a_stopped_turn_ends_and_the_queue_runs_on(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    second = await send(node, session, "second")
    assert await node.engine.cancel(session)
    await house.settle()
    assert kinds_of(await events_of(node, session, first.turn_id))[-1] == "cancelled"
    assert second.turn_id in node.agent.briefs


async def test_stopping_an_idle_session_stops_nothing(node: Node) -> None:
    assert not await node.engine.cancel(await open_session(node))


async def test_a_queued_message_can_be_taken_back_once(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    second = await send(node, session, "second")
    await node.engine.withdraw(session, second.turn_id)
    assert kinds_of(await events_of(node, session, second.turn_id)) == ["cancelled"]
    with pytest.raises(NotQueued):
        await node.engine.withdraw(session, second.turn_id)
    node.agent.order(first.turn_id, "finish")
    await events_of(node, session, first.turn_id)
    await house.settle()
    assert second.turn_id not in node.agent.briefs


async def test_a_running_turn_cannot_be_taken_back(node: Node) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    with pytest.raises(NotQueued):
        await node.engine.withdraw(session, first.turn_id)


async def test_a_sender_that_goes_away_in_mid_submit_is_answered_all_the_same(node: Node, house: House) -> None:
    session = await open_session(node)
    sender = asyncio.create_task(send(node, session, "hello", key="k"))
    await house.traffic.begun()
    sender.cancel()
    await house.settle()
    (turn_id,) = node.agent.briefs
    assert (await send(node, session, "hello", key="k")).turn_id == turn_id


async def test_a_failed_turn_stays_in_the_context_of_the_next(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    node.agent.order(first.turn_id, "step", "break")
    assert (await events_of(node, session, first.turn_id))[-1].data["code"] == "internal_error"
    second = await send(node, session, "second")
    await house.settle()
    words = [message.text for message in node.agent.briefs[second.turn_id].messages]
    assert words == ["first", "working", "worked on n0", "second"]
