"""What a reader gets from the store, from memory and from other nodes, and when its stream ends."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.engine.kit import FakeClock, kinds_of, texts_of
from tests.patience import PATIENCE, idle
from tests.store.nouns import append, close_turn, have_session, have_turn, some_events
from tests.unit.engine.upkeep.kit import HurriedClock
from wakeful.engine.readers import broadcaster as broadcasters
from wakeful.engine.readers.broadcaster import Broadcaster
from wakeful.engine.readers.reader import SLICE
from wakeful.engine.upkeep.old_words_mover import OldWordsMover
from wakeful.engine.words.hearer import WordsHearer
from wakeful.engine.words.words import LiveWords
from wakeful.model.event import NewEvent, StreamItem
from wakeful.model.words import Position, Said, Word, WordsHead, WordsPart
from wakeful.store.base import Body
from wakeful.store.sqlite.store import SqliteStore

T = TypeVar("T")
Pages = AsyncGenerator[list[StreamItem], None]


class WordsElsewhere:
    """The words that other nodes have shared."""

    def __init__(self) -> None:
        self.parts: list[WordsPart] = []

    async def read(self, known: Mapping[str, tuple[int, int]]) -> list[WordsPart]:
        return self.parts


@dataclass
class Room:
    store: SqliteStore
    clock: FakeClock
    live: LiveWords
    elsewhere: WordsElsewhere
    hearer: WordsHearer
    broadcaster: Broadcaster


@pytest.fixture
async def room(sqlite_path: Path) -> AsyncIterator[Room]:
    clock = FakeClock()
    store: Any = SqliteStore(sqlite_path, clock.time, synchronous="OFF")
    await store.open()
    store.words = WordsElsewhere()
    live = LiveWords(clock)
    live.show_until(clock.now + 3.0)
    hearer = WordsHearer(store, live, clock)
    yield Room(store, clock, live, store.words, hearer, Broadcaster(store, live, hearer))
    await store.close()


def follow(room: Room, *, of_turn: bool) -> Pages:
    if of_turn:
        return room.broadcaster.follow_turn("s1", "t1", 0)
    return room.broadcaster.follow_session("s1", Position())


async def next_of(pages: Pages) -> list[StreamItem]:
    return await asyncio.wait_for(anext(pages), PATIENCE)


async def rest_of(pages: Pages) -> list[list[StreamItem]]:
    async with asyncio.timeout(PATIENCE):
        return [page async for page in pages]


async def is_waiting(waiting: asyncio.Task[Any]) -> bool:
    await idle()
    return not waiting.done()


async def test_a_reader_is_told_once_that_it_has_all_there_is(room: Room) -> None:
    lease = await have_turn(room.store)
    await append(room.store, lease, some_events(2, "message"))
    async with aclosing(room.broadcaster.follow_session("s1", Position())) as pages:
        assert kinds_of(await next_of(pages)) == ["message"] * 2
        assert await next_of(pages) == []
        await append(room.store, lease, some_events(1, "usage"))
        assert kinds_of(await next_of(pages)) == ["usage"]
        await append(room.store, lease, some_events(1, "todo"))
        assert kinds_of(await next_of(pages)) == ["todo"]


async def test_a_reader_that_has_all_there_is_waits_without_looking(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = await have_turn(room.store)
    looks = 0

    def shown(session_id: str) -> None:
        nonlocal looks
        looks += 1
        assert looks < 100

    monkeypatch.setattr(room.broadcaster, "_shown", shown)
    async with aclosing(room.broadcaster.follow_session("s1", Position())) as pages:
        assert await next_of(pages) == []
        await append(room.store, lease, some_events(1, "message"))
        assert kinds_of(await next_of(pages)) == ["message"]
        waiting = asyncio.create_task(next_of(pages))
        assert await is_waiting(waiting)
        await append(room.store, lease, some_events(1, "usage"))
        assert kinds_of(await waiting) == ["usage"]


@pytest.mark.parametrize("of_turn", [True, False])
async def test_a_live_reader_costs_no_read(room: Room, monkeypatch: pytest.MonkeyPatch, of_turn: bool) -> None:
    lease = await have_turn(room.store)
    async with aclosing(follow(room, of_turn=of_turn)) as pages:
        assert await next_of(pages) == []
        await append(room.store, lease, some_events(1, "message"))
        assert kinds_of(await next_of(pages)) == ["message"]
        monkeypatch.setattr(room.store, "read", None)
        await append(room.store, lease, some_events(1, "usage"))
        assert kinds_of(await next_of(pages)) == ["usage"]
        words = room.live.begin(WordsHead("s1", "t1", 1, 2), 2)
        for text in ("a", "b"):
            room.live.add(words, "token", text)
            assert texts_of(await next_of(pages)) == [text]


async def test_a_reader_of_a_session_goes_on_after_the_end_of_a_turn(room: Room) -> None:
    lease = await have_turn(room.store)
    async with aclosing(room.broadcaster.follow_session("s1", Position())) as pages:
        assert await next_of(pages) == []
        await append(room.store, lease, some_events(1, "done"))
        assert kinds_of(await next_of(pages)) == ["done"]
        await append(room.store, lease, some_events(1, "todo"))
        assert kinds_of(await next_of(pages)) == ["todo"]


@pytest.mark.parametrize("of_turn", [True, False])
async def test_a_long_log_is_read_in_pages(room: Room, monkeypatch: pytest.MonkeyPatch, of_turn: bool) -> None:
    monkeypatch.setattr(broadcasters, "_PAGE", 2)
    lease = await have_turn(room.store)
    await append(room.store, lease, some_events(5, "message"))
    async with aclosing(follow(room, of_turn=of_turn)) as pages:
        assert [len(await next_of(pages)) for _ in range(4)] == [2, 2, 1, 0]
        await append(room.store, lease, some_events(1, "usage"))
        assert kinds_of(await next_of(pages)) == ["usage"]


async def test_a_page_that_is_just_full_is_not_taken_for_the_last(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcasters, "_PAGE", 2)
    lease = await have_turn(room.store)
    await append(room.store, lease, [*some_events(1, "message"), *some_events(1, "done")])
    await close_turn(room.store, "t1")

    pages = await rest_of(room.broadcaster.follow_turn("s1", "t1", 0))

    assert [kinds_of(page) for page in pages] == [["message", "done"]]


async def test_a_reader_of_a_turn_ends_with_it_and_gets_nothing_of_others(room: Room) -> None:
    lease = await have_turn(room.store)
    await append(room.store, lease, some_events(1, "turn_started"))
    async with aclosing(room.broadcaster.follow_turn("s1", "t1", 0)) as pages:
        assert kinds_of(await next_of(pages)) == ["turn_started"]
        assert await next_of(pages) == []
        note = NewEvent.of("session-updated", {})
        await room.store.write(lambda tx: tx.events.append("s1", None, [note]), lock=["s1"])
        await append(room.store, lease, [*some_events(1, "usage"), *some_events(1, "done")])
        assert [kinds_of(page) for page in await rest_of(pages)] == [["usage", "done"]]


async def test_a_reader_of_a_turn_that_has_ended_gets_what_it_lacks_and_no_more(room: Room) -> None:
    lease = await have_turn(room.store)
    await append(room.store, lease, [*some_events(1, "message"), *some_events(1, "done")])
    await close_turn(room.store, "t1")

    for after, facts in ((0, [["message", "done"]]), (1, [["done"]]), (2, [])):
        assert [kinds_of(page) for page in await rest_of(room.broadcaster.follow_turn("s1", "t1", after))] == facts


async def test_a_turn_that_was_never_opened_is_waited_for_until_its_end(room: Room) -> None:
    await have_session(room.store)
    async with aclosing(room.broadcaster.follow_turn("s1", "withdrawn", 0)) as pages:
        assert await next_of(pages) == []
        ended = NewEvent.of("cancelled", {})
        await room.store.write(lambda tx: tx.events.append("s1", "withdrawn", [ended]), lock=["s1"])
        assert [kinds_of(page) for page in await rest_of(pages)] == [["cancelled"]]
    assert await rest_of(room.broadcaster.follow_turn("s1", "withdrawn", 1)) == []


@pytest.mark.parametrize(("purge_at", "is_over"), [(-1.0, True), (1.0, False)])
async def test_readers_end_when_their_session_cannot_come_back(room: Room, purge_at: float, is_over: bool) -> None:
    await have_session(room.store)
    due = room.clock.time() + purge_at
    await room.store.write(lambda tx: tx.sessions.delete("s1", due), lock=["s1"])
    follow_turn, follow_session = room.broadcaster.follow_turn, room.broadcaster.follow_session
    for pages in (follow_session("s1", Position(fact=9)), follow_turn("s1", "never", 0)):
        async with aclosing(pages):
            assert await asyncio.wait_for(anext(pages, None), PATIENCE) == (None if is_over else [])


async def test_readers_of_a_session_that_does_not_exist_end_at_once(room: Room) -> None:
    assert await rest_of(room.broadcaster.follow_session("gone", Position())) == []
    assert await rest_of(room.broadcaster.follow_turn("gone", "never", 0)) == []


async def test_all_readers_end_when_the_node_closes(room: Room) -> None:
    await have_session(room.store)
    pages = room.broadcaster.follow_session("s1", Position())
    assert await next_of(pages) == []
    waiting = asyncio.create_task(rest_of(pages))
    assert await is_waiting(waiting)

    room.broadcaster.close()

    assert await asyncio.wait_for(waiting, PATIENCE) == []
    assert await rest_of(room.broadcaster.follow_session("s1", Position())) == []


async def said(room: Room, *texts: str) -> None:
    """A turn with two facts whose answer says this."""
    lease = await have_turn(room.store)
    await append(room.store, lease, some_events(2, "message"))
    words = room.live.begin(WordsHead("s1", "t1", 1, 2), 2)
    for text in texts:
        room.live.add(words, "token", text)


async def test_an_answer_of_exactly_a_page_is_read_on(room: Room) -> None:
    await said(room, *["word "] * SLICE)
    async with aclosing(room.broadcaster.follow_session("s1", Position())) as pages:
        assert [len(await next_of(pages)) for _ in range(3)] == [2, SLICE, 0]


async def test_a_long_answer_is_read_to_its_end_without_a_new_word(room: Room) -> None:
    await said(room, *["word "] * (2 * SLICE + 1))
    async with aclosing(room.broadcaster.follow_session("s1", Position())) as pages:
        assert [len(await next_of(pages)) for _ in range(5)] == [2, SLICE, SLICE, 1, 0]


@pytest.mark.parametrize(
    ("start", "texts"),
    [(Position(), ["a", "b", "c"]), (Position(2, 2, 1), ["b", "c"]), (Position(2, 1, 1), ["a", "b", "c"])],
)
async def test_a_reader_begins_at_its_position(room: Room, start: Position, texts: list[str]) -> None:
    await said(room, "a", "b", "c")
    async with aclosing(room.broadcaster.follow_session("s1", start)) as pages:
        seen: list[StreamItem] = []
        while page := await next_of(pages):
            seen += page
    assert texts_of(seen) == texts


async def test_a_reader_of_a_turn_begins_at_its_position(room: Room) -> None:
    await said(room, "a", "b", "c")
    async with aclosing(room.broadcaster.follow_turn("s1", "t1", 2, 1)) as pages:
        assert texts_of(await next_of(pages)) == ["b", "c"]


async def test_a_reader_without_words_gets_none(room: Room) -> None:
    await said(room, "a")
    async with aclosing(room.broadcaster.follow_session("s1", Position(), with_words=False)) as pages:
        assert kinds_of(await next_of(pages)) == ["message"] * 2
        assert await next_of(pages) == []


async def test_words_are_held_back_while_the_lease_is_in_doubt(room: Room) -> None:
    await said(room, "a")
    room.clock.advance(3.0)
    async with aclosing(room.broadcaster.follow_session("s1", Position(2))) as pages:
        assert await next_of(pages) == []
        assert await room.broadcaster.live_words("s1") is None
        room.live.show_until(room.clock.now + 1.0)
        assert texts_of(await next_of(pages)) == ["a"]


async def test_the_words_of_another_node_are_shown(room: Room) -> None:
    lease = await have_turn(room.store)
    await append(room.store, lease, some_events(2, "message"))
    room.elsewhere.parts = [WordsPart(WordsHead("s1", "t1", 1, 2), 2, 1, Said("Hi", "", (2,)))]

    words = await room.broadcaster.live_words("s1")
    assert words is not None
    assert words.said().text == "Hi"
    assert texts_of(await room.broadcaster.stream_so_far("s1", "t1")) == ["Hi"]
    # Neither of both follows the session any longer.
    assert room.hearer.of("s1") is None
    async with aclosing(room.broadcaster.follow_session("s1", Position(2))) as pages:
        assert await next_of(pages) == []
        await room.hearer.sweep()
        assert texts_of(await next_of(pages)) == ["Hi"]


async def test_own_words_are_asked_of_no_other_node(room: Room) -> None:
    await said(room, "mine")
    room.elsewhere.parts = [WordsPart(WordsHead("s1", "t1", 1, 2), 2, 1, Said("theirs", "", (6,)))]

    words = await room.broadcaster.live_words("s1")

    assert words is room.live.of("s1")


async def test_what_a_turn_has_said_so_far_has_all_its_pages(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcasters, "_PAGE", 1)
    await said(room, "a", "b")

    items = await asyncio.wait_for(room.broadcaster.stream_so_far("s1", "t1"), PATIENCE)

    assert kinds_of(items) == ["message", "message", "token", "token"]
    assert room.broadcaster._followed.all() == []


async def test_old_words_that_are_moved_while_a_turn_is_read_come_once(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcasters, "_PAGE", 3)
    lease = await have_turn(room.store)
    words = [NewEvent.of("token", {"step": 1, "text": text}) for text in ("Not ", "whole")]
    facts = [NewEvent.of(kind, {}) for kind in ("turn_started", "message", "cancelled")]
    await append(room.store, lease, [*facts[:2], *words, facts[2]])
    await close_turn(room.store, "t1")
    read, reads = room.store.read, 0

    async def be_overtaken(body: Body[T]) -> T:
        nonlocal reads
        reads += 1
        if reads == 2:
            monkeypatch.setattr(room.store, "read", read)
            await OldWordsMover(room.store, HurriedClock()).sweep()
        return await read(body)

    monkeypatch.setattr(room.store, "read", be_overtaken)
    items = await room.broadcaster.stream_so_far("s1", "t1")

    assert kinds_of(items) == ["turn_started", "message", "token", "token", "cancelled"]
    assert isinstance(items[3], Word), "the second one was moved"


async def test_a_reader_with_void_words_starts_over_unless_it_is_told_not_to(room: Room) -> None:
    lease = await have_turn(room.store)
    await append(room.store, lease, some_events(2, "message"))
    words = room.live.begin(WordsHead("s1", "t1", 1, 2), 2)
    words.add("token", "kept")
    await append(room.store, lease, [NewEvent.of("done", {}, words.end(words.said()))])
    await close_turn(room.store, "t1")
    follow_turn = room.broadcaster.follow_turn

    assert kinds_of((await rest_of(follow_turn("s1", "t1", 2, 5)))[0]) == ["step_abandoned"]
    assert [kinds_of(page) for page in await rest_of(follow_turn("s1", "t1", 2, 5, starts_over=False))] == [["done"]]
    async with aclosing(room.broadcaster.follow_session("s1", Position(2, 2, 5))) as pages:
        assert kinds_of(await next_of(pages)) == ["step_abandoned"]
    async with aclosing(room.broadcaster.follow_session("s1", Position(2, 2, 5), starts_over=False)) as pages:
        assert kinds_of(await next_of(pages)) == ["done"]
