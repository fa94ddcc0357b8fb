"""What an operator may set about a door, as the people in its chats see it."""

from pathlib import Path

import pytest

from tests.messaging.kit import chatting
from wakeful.engine.inbox.submission import Submission
from wakeful.model.inbox import IfBusy
from wakeful.model.journal.fact import TextDelta
from wakeful.model.messaging.chat import ChatKind, SessionScope
from wakeful.model.session import Address
from wakeful.model.turn import Door
from wakeful.store.base import Store

IN_A = {"kind": ChatKind.GROUP, "chat_id": "-1", "thread_id": "a", "is_for_bot": True}


@pytest.mark.parametrize(
    ("scope", "keys"),
    [
        (SessionScope.THREAD, ["telegram:group:-1:a", "telegram:group:-1:a", "telegram:group:-1:b"]),
        (SessionScope.CHAT, ["telegram:group:-1"] * 3),
        (SessionScope.USER, ["telegram:group:-1:a:@9", "telegram:group:-1:a:@8", "telegram:group:-1:b:@9"]),
    ],
)
async def test_each_thread_chat_or_user_has_a_session(
    store: Store, tmp_path: Path, scope: SessionScope, keys: list[str]
) -> None:
    async with chatting(store, tmp_path, sessions=scope, allow=frozenset({"8", "9"})) as chat:
        await chat.write("one", "1", **IN_A)
        await chat.write("two", "2", **IN_A | {"user_id": "8"})
        await chat.write("three", "3", **IN_A | {"thread_id": "b"})
        for number in range(1, 4):
            chat.agent.order(await chat.turn(number), "say Yes")

    turns = {brief.turn.address.sender.message_id: brief.turn for brief in chat.agent.briefs.values()}
    assert [turns[number].address.sender.chat_key for number in "123"] == keys
    assert len({turn.session_id for turn in turns.values()}) == len(set(keys))
    assert [turns[number].address.thread_id for number in "123"] == ["a", "a", "b"], "each is answered in its thread"


async def test_a_message_to_a_busy_session_joins_its_turn_with_steer(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, busy=IfBusy.STEER) as chat:
        await chat.write("work", "5")
        turn_id = await chat.turn()
        await chat.write("faster", "6")
        chat.agent.order(turn_id, "step", "say Ready")
        await chat.shows("working", "• work:", "Ready")

    assert chat.agent.taken[turn_id] == ["faster"]
    assert len(chat.agent.briefs) == 1


async def test_a_message_to_a_busy_session_stops_its_turn_with_interrupt(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, busy=IfBusy.INTERRUPT) as chat:
        await chat.write("tell me", "5")
        chat.agent.tell(await chat.turn(), TextDelta(1, "A long answer that nobody wants to read any more, "))
        await chat.shows("A long answer that nobody wants to read any more,")
        await chat.write("something else", "6")
        chat.agent.order(await chat.turn(2), "say Gladly")
        await chat.shows("A long answer that nobody wants to read any more,\n\n(stopped)", "Gladly")


async def test_without_streaming_an_answer_is_sent_once_and_whole(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, streams=False) as chat:
        await chat.write("tell me", "5")
        turn_id = await chat.turn()
        chat.agent.tell(turn_id, TextDelta(1, "Once upon a time there was a small server that "))
        chat.agent.order(turn_id, "say Once upon a time there was a small server that slept.")
        await chat.shows("Once upon a time there was a small server that slept.")

    assert [kind for kind, _, _ in chat.platform.requests] == ["send"]


async def test_turns_of_other_doors_in_a_chats_session_are_not_posted(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("hello", "5")
        turn = chat.agent.briefs[await chat.turn()].turn
        chat.agent.order(turn.id, "say Hi")
        await chat.shows("Hi")
        page = Submission(turn.session_id, "from the page", Door("web", True), Address("web"), "page:1", "demo:led")
        await chat.engine.submit(page)
        chat.agent.order(await chat.turn(2), "say Only on the page")
        await chat.write("again", "6")
        chat.agent.order(await chat.turn(3), "say Again")
        await chat.shows("Hi", "Again")
