"""Words are shown as they come and kept with the fact that ends them: an answer, a step taken back, the turn's end."""

import asyncio
from collections.abc import Collection
from contextlib import aclosing
from typing import TypeVar

import pytest

from tests.engine.kit import House, Node, events_of, items_of, kinds_of, log_of, open_session, send, texts_of
from tests.engine.test_resuming import successor_of
from tests.patience import PATIENCE, idle
from wakeful.errors import StoreUnavailable
from wakeful.model.event import Event, StreamItem
from wakeful.model.inbox import IfBusy
from wakeful.model.journal.entry import EntryKind
from wakeful.model.journal.fact import Answered, StepAbandoned
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.words import Position, Said, Word, WordsEnd, WordsHead, pack_cuts, unpack_cuts
from wakeful.store.base import Body, Signal, Transaction

T = TypeVar("T")


async def read_until(node: Node, session: str, start: Position, *kinds: str) -> list[StreamItem]:
    """Return what comes after a position, up to the first item of each of these kinds."""
    seen: list[StreamItem] = []
    async with asyncio.timeout(PATIENCE), aclosing(node.engine.subscribe(session, start)) as pages:
        async for page in pages:
            seen += page
            if set(kinds) <= set(kinds_of(seen)):
                return seen
    raise AssertionError("the node has stopped")


async def test_words_are_shown_before_anything_of_them_is_written(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    await house.settle()
    before = await log_of(house, session)
    node.agent.order(receipt.turn_id, "token", "token")

    seen = await read_until(node, session, Position(), "token")

    assert texts_of(seen) == ["n0 ", "n0 "]
    assert [word.number for word in seen if isinstance(word, Word)] == [1, 2]
    assert {word.head for word in seen if isinstance(word, Word)} == {WordsHead(session, receipt.turn_id, 1, base=2)}
    assert await log_of(house, session) == before


async def test_a_fact_of_the_session_in_mid_words_changes_nothing_of_them(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    await send(node, session, "queued")
    node.agent.order(receipt.turn_id, "token", "finish")

    live = await read_until(node, session, Position(3), "done")
    late = await read_until(node, session, Position(3), "done")

    assert kinds_of(late)[:5] == ["message_queued", "token", "token", "usage", "done"]
    assert [word for word in live if isinstance(word, Word)] == [word for word in late if isinstance(word, Word)]
    # A reader that had the first word before the message was queued, and one that had it after.
    for start in (Position(3, base=2, word=1), Position(4, base=2, word=1)):
        assert texts_of(await read_until(node, session, start, "done")) == ["n0 "]


@pytest.mark.parametrize("of", ["session", "turn"])
async def test_words_wait_for_the_fact_that_they_follow(node: Node, house: House, of: str) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    await house.settle()
    engine, seen = node.engine, list[StreamItem]()
    log = engine.subscribe(session) if of == "session" else engine.subscribe_turn(session, receipt.turn_id)
    async with asyncio.timeout(PATIENCE), aclosing(log) as pages:
        while page := await anext(pages):
            seen += page
        # The following commits are announced late.
        node.store.is_deaf = True
        coming = asyncio.ensure_future(anext(pages))
        node.agent.order(receipt.turn_id, "step", "token")
        await house.settle()
        assert not coming.done()

        node.store.is_deaf = False
        node.store.tell(Signal(frozenset(), is_everything=True))
        seen += await coming
        while "token" not in kinds_of(seen):
            seen += await anext(pages)
    assert kinds_of(seen)[-4:] == ["tool", "usage", "tool_complete", "token"]


async def test_a_reader_that_comes_back_amid_words_gets_those_after_its_position(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token", "token", "token")
    await house.settle()
    of_session = await read_until(node, session, Position(3, base=2, word=2), "token")
    async with asyncio.timeout(PATIENCE), aclosing(node.engine.subscribe_turn(session, receipt.turn_id, 2, 2)) as pages:
        of_turn = await anext(pages)
    for seen in (of_session, of_turn):
        assert [word.number for word in seen if isinstance(word, Word)] == [3]


@pytest.mark.parametrize("stops", ["stop", "interrupt", "fail", "delete"])
async def test_what_was_said_before_a_turn_broke_off_is_kept(node: Node, house: House, stops: str) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token", "token")
    await house.settle()
    match stops:
        case "stop":
            await node.engine.cancel(session)
        case "interrupt":
            await send(node, session, "other", if_busy=IfBusy.INTERRUPT)
        case "fail":
            node.agent.order(receipt.turn_id, "refuse")
        case "delete":
            await node.engine.purger._end(session)
    items = await items_of(node, session, receipt.turn_id)

    assert texts_of(items) == ["n0 ", "n0 "]
    end = items[-1]
    assert isinstance(end, Event)
    assert end.ends == WordsEnd(1, base=2, count=2)

    async def body(tx: Transaction) -> list[tuple[EntryKind, str]]:
        return [(entry.kind, entry.data["text"]) for entry in await tx.journal.of_turns([receipt.turn_id])]

    assert await house.store.read(body) == [(EntryKind.INPUT, "talk"), (EntryKind.CUT, "n0 n0 ")]


async def test_a_cut_answer_is_no_part_of_what_the_model_reads(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    await node.engine.cancel(session)
    again = await send(node, session, "again")
    await house.settle()

    assert [message.text for message in node.agent.briefs[again.turn_id].messages] == ["talk", "again"]


@pytest.mark.parametrize("stops", ["stop", "interrupt", "delete"])
async def test_no_word_is_shown_while_a_stop_is_being_written(node: Node, house: House, stops: str) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    seen: list[StreamItem] = []

    async def speak_meanwhile(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        del node.store.write
        node.agent.order(receipt.turn_id, "token", "token")
        await idle()
        seen.extend(await read_until(node, session, Position(2), "token"))
        return await node.store.write(body, lock=lock, patience=patience)

    node.store.write = speak_meanwhile  # type: ignore[method-assign]
    match stops:
        case "stop":
            await node.engine.cancel(session)
        case "interrupt":
            await send(node, session, "other", if_busy=IfBusy.INTERRUPT)
        case "delete":
            await node.engine.purger._end(session)

    assert texts_of(seen) == ["n0 "]
    assert texts_of(await items_of(node, session, receipt.turn_id)) == ["n0 "]


async def test_a_stop_that_finds_nothing_to_stop_lets_the_words_go_on(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    assert not await node.engine.cancel(session, "another turn")
    node.agent.order(receipt.turn_id, "token", "finish")
    assert len(texts_of(await items_of(node, session, receipt.turn_id))) == 2


async def test_after_a_stop_whose_outcome_is_unknown_no_word_is_shown_until_the_rescuer_has_looked(
    node: Node, house: House
) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()

    async def fail(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        del node.store.write
        raise StoreUnavailable

    node.store.write = fail  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        await node.engine.cancel(session)
    node.agent.order(receipt.turn_id, "token", "finish")
    await house.settle()
    live = await node.engine.live_words(session)
    assert live is not None
    assert live[1].text == "n0 "

    await house.advance(1)
    await house.settle()
    assert len(texts_of(await items_of(node, session, receipt.turn_id))) == 2


async def test_a_look_that_fails_leaves_the_outcome_of_a_stop_unknown(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()

    async def fail(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        raise StoreUnavailable

    write, read = node.store.write, node.store.read
    node.store.write = node.store.read = fail  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        await node.engine.cancel(session)
    with pytest.raises(StoreUnavailable):
        await node.engine._rescuer.sweep()
    node.store.write, node.store.read = write, read  # type: ignore[method-assign]
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    live = await node.engine.live_words(session)
    assert live is not None
    assert live[1].text == "n0 "

    await node.engine._rescuer.sweep()
    await house.settle()
    live = await node.engine.live_words(session)
    assert live is not None
    assert live[1].text == "n0 n0 "


async def test_words_that_the_answer_does_not_repeat_are_kept_all_the_same(node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token", "say something else")
    items = await items_of(node, session, receipt.turn_id)
    assert texts_of(items) == ["n0 "]
    assert isinstance(items[3], Event)
    assert items[3].ends == WordsEnd(1, base=2, count=1, said=Said("n0 ", "", (3,)))


async def test_words_of_an_answer_are_kept_once(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token", "token", "say n0 n0 ")
    items = await items_of(node, session, receipt.turn_id)
    assert kinds_of(items) == ["turn_started", "message", "token", "token", "usage", "done"]
    usage = items[4]
    assert isinstance(usage, Event)
    assert usage.ends == WordsEnd(1, base=2, count=2)


@pytest.mark.parametrize("is_for_client", [False, True])
async def test_the_last_answer_and_the_end_are_one_write(node: Node, house: House, is_for_client: bool) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    write, writes = node.store.write, list[Collection[str]]()

    async def count(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        writes.append(lock)
        return await write(body, lock=lock, patience=patience)

    node.store.write = count  # type: ignore[method-assign]
    calls = (ToolCall("call_1", "for the client", "{}"),) if is_for_client else ()
    message = AssistantMessage("done", calls=calls)
    node.agent.tell(receipt.turn_id, Answered(1, message, Usage(1, 1), client_calls=frozenset({1} if calls else ())))
    node.agent.order(receipt.turn_id, "end")
    await events_of(node, session, receipt.turn_id)
    assert writes == [[session]]


async def test_words_that_a_retry_takes_back_are_kept_with_it(node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    node.agent.tell(receipt.turn_id, StepAbandoned(1))
    node.agent.order(receipt.turn_id, "token", "finish")
    items = await items_of(node, session, receipt.turn_id)
    assert kinds_of(items) == ["turn_started", "message", "token", "step_abandoned", "token", "usage", "done"]
    assert await items_of(node, session, receipt.turn_id) == items


async def test_a_graceful_stop_takes_words_back_and_keeps_them(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    await node.engine.stop()
    second = await house.start_node()
    second.agent.order(receipt.turn_id, "finish")
    items = await items_of(second, session, receipt.turn_id)
    assert kinds_of(items) == ["turn_started", "message", "token", "step_abandoned", "usage", "done"]
    taken_back = items[3]
    assert isinstance(taken_back, Event)
    assert taken_back.ends is not None
    assert taken_back.ends.void == 0


async def test_a_reader_with_words_of_a_dead_node_learns_that_they_are_void(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token", "token")
    await house.settle()
    second = await successor_of(house, node)
    second.agent.order(receipt.turn_id, "token", "finish")
    seen = await read_until(second, session, Position(3, base=2, word=2), "done")
    assert kinds_of(seen) == ["step_abandoned", "token", "usage", "done"]
    assert texts_of(seen) == ["n1 "]


async def test_a_stop_from_another_node_says_that_words_may_be_missing(house: House, node: Node) -> None:
    second = await house.start_node()
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    await second.engine.cancel(session)
    (*_, end) = await events_of(second, session, receipt.turn_id)
    assert end.ends is not None
    assert end.ends.void == 1000


async def test_a_reader_with_more_words_than_are_kept_starts_over(house: House, node: Node) -> None:
    second = await house.start_node()
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    await second.engine.cancel(session)
    await house.settle()
    seen = await read_until(second, session, Position(3, base=2, word=1), "cancelled")
    assert kinds_of(seen) == ["step_abandoned", "cancelled"]


async def test_a_node_without_its_lease_shows_no_words(house: House) -> None:
    first = await house.start_node()
    session = await open_session(first)
    receipt = await send(first, session, "talk")
    await house.settle()
    first.fall_asleep()
    await house.advance(house.settings.lease_seconds)
    first.agent.order(receipt.turn_id, "token")
    await house.settle()
    assert await first.engine.live_words(session) is None


async def test_room_for_words_is_reserved_before_they_are_shown(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, *["token"] * 499)
    await house.settle()
    assert await _reserved(house, receipt.turn_id) == 1000
    node.agent.order(receipt.turn_id, "token", "token")
    await house.settle()
    assert await _reserved(house, receipt.turn_id) == 2000

    async def fail(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        raise StoreUnavailable

    node.store.write = fail  # type: ignore[method-assign]
    node.agent.order(receipt.turn_id, *["token"] * 3000)
    await house.settle()
    live = await node.engine.live_words(session)
    assert live is None or len(live[1].cuts) <= 2000


async def test_words_wait_while_room_for_them_is_being_reserved(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    await house.settle()
    never = asyncio.Event()

    async def hang(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        await never.wait()
        raise StoreUnavailable

    node.store.write = hang  # type: ignore[method-assign]
    for count in (600, 3000):
        node.agent.order(receipt.turn_id, *["token"] * count)
        await house.settle()
    live = await node.engine.live_words(session)
    assert live is not None
    assert len(live[1].cuts) == 1000


@pytest.mark.parametrize("ends", ["take-over", "stop"])
async def test_as_many_words_are_void_as_were_reserved(house: House, node: Node, ends: str) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, *["token"] * 501)
    await house.settle()
    if ends == "take-over":
        other = await successor_of(house, node)
        other.agent.order(receipt.turn_id, "finish")
    else:
        other = await house.start_node()
        await other.engine.cancel(session)
    events = await events_of(other, session, receipt.turn_id)
    assert [event.ends.void for event in events if event.ends is not None] == [2000]


async def _reserved(house: House, turn_id: str) -> int:
    async def body(tx: Transaction) -> int:
        turn = await tx.turns.get(turn_id)
        assert turn is not None
        return turn.reserved

    return await house.store.read(body)


@pytest.mark.parametrize("cuts", [(), (1,), (-1, 2, -3), (127, -127), (128, -5), (-40_000, 3), (2_000_000,)])
def test_cuts_are_unpacked_as_they_were_packed(cuts: tuple[int, ...]) -> None:
    assert unpack_cuts(pack_cuts(cuts)) == cuts


def test_said_words_come_apart_where_they_were_cut() -> None:
    head = WordsHead("s", "t", 1, 2)
    pieces = [("reasoning", "Hm, "), ("token", "He"), ("reasoning", "yes"), ("token", "llo"), ("token", " you")]
    words = [Word(head, number, kind, text) for number, (kind, text) in enumerate(pieces, start=1)]
    said = Said.of(words)
    assert said == Said("Hello you", "Hm, yes", (-4, 2, -3, 3, 4))
    assert said.words(head) == words
    assert said.words(head, after=2, limit=2) == words[2:4]
