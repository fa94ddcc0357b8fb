"""The event log, as transactions write it and readers read it."""

import orjson
import pytest

from tests.store.conftest import FakeClock, Sql
from tests.store.nouns import append, have_session, have_turn, long_texts, needs_lock, some_events
from wakeful.errors import SessionNotFound
from wakeful.model.event import Event, NewEvent
from wakeful.model.journal.entry import without
from wakeful.model.search.search import Hit
from wakeful.model.turn import Lease
from wakeful.model.words import Said, WordsEnd
from wakeful.store.base import Store, Transaction


async def test_events_have_a_number_in_their_session_and_in_their_turn(store: Store) -> None:
    await have_turn(store)

    async def body(tx: Transaction) -> list[Event]:
        first = await tx.events.append("s1", None, some_events(1, "message_queued"))
        return first + await tx.events.append("s1", "t1", some_events(2))

    appended = await store.write(body, lock=["s1"])

    assert [(e.session_seq, e.turn_id, e.turn_seq) for e in appended] == [
        (1, None, None),
        (2, "t1", 1),
        (3, "t1", 2),
    ]
    assert await _of_session(store) == appended
    assert await _of_turn(store) == appended[1:]


async def test_appending_keeps_the_counters_and_the_time(store: Store, clock: FakeClock) -> None:
    await have_turn(store)
    await clock.set(77.0)

    appended = await store.write(lambda tx: tx.events.append("s1", "t1", some_events(3)), lock=["s1"])

    session = await store.read(lambda tx: tx.sessions.get("s1"))
    turn = await store.read(lambda tx: tx.turns.get("t1"))
    assert {event.at for event in appended} == {77.0}
    assert session is not None
    assert turn is not None
    assert (session.last_seq, session.updated_at, turn.last_seq) == (3, 77.0, 3)


async def test_a_turn_that_never_opened_is_numbered_from_one(store: Store) -> None:
    await have_session(store)

    appended = await store.write(lambda tx: tx.events.append("s1", "given_out", some_events(2)), lock=["s1"])

    assert [event.turn_seq for event in appended] == [1, 2]
    assert await _of_turn(store, "given_out") == appended


async def test_appending_nothing_uses_no_number(store: Store) -> None:
    await have_turn(store)

    assert await store.write(lambda tx: tx.events.append("s1", "t1", []), lock=["s1"]) == []
    appended = await store.write(lambda tx: tx.events.append("s1", "t1", some_events(1)), lock=["s1"])

    assert [(event.session_seq, event.turn_seq) for event in appended] == [(1, 1)]


async def test_a_log_needs_its_session(store: Store) -> None:
    with pytest.raises(SessionNotFound):
        await store.write(lambda tx: tx.events.append("nowhere", None, some_events(1)), lock=["nowhere"])


async def test_logs_are_read_in_pages(store: Store) -> None:
    lease = await have_turn(store)
    appended = await append(store, lease, some_events(5))

    assert await _of_session(store, after=1, limit=3) == appended[1:4]
    assert await _of_session(store, after=5) == []
    assert await _of_turn(store, after=1, limit=3) == appended[1:4]
    assert await _of_turn(store, after=5) == []


@pytest.mark.parametrize("text", ["", "\0", "a\0b", "\x7f\x80\xff", "naïve 漢字 🤖", "\u202e'\"\\;--", "\ufffe"])
async def test_any_text_comes_back_as_it_was(store: Store, text: str) -> None:
    lease = await have_turn(store)
    events = [NewEvent.of("token", {"text": text}), NewEvent("token", text.encode())]

    await append(store, lease, events)
    await store.write(lambda tx: tx.events.append("s1", "t1", events), lock=["s1"])

    payloads = [event.payload for event in await _of_session(store)]
    assert payloads == [orjson.dumps({"text": text}), text.encode()] * 2


async def test_an_event_knows_of_the_words_that_it_ends(store: Store) -> None:
    lease = await have_turn(store)
    said = Said("Hello", "Hm", (-2, 5))
    ends = WordsEnd(2, base=1, count=2, void=1000, said=said, old=(3, 4))

    await append(store, lease, [NewEvent("usage", b"{}", ends), NewEvent("done", b"{}")])

    assert [event.ends for event in await _of_session(store)] == [ends, None]
    assert [event.ends for event in await _of_turn(store)] == [ends, None]


async def test_a_log_has_no_text_that_the_journal_has(store: Store, sql: Sql) -> None:
    lease = await have_turn(store)

    events = await _have_quotes(store, lease)

    assert await sql("SELECT count(*) FROM events WHERE length(payload) > 1000") == [(0,)]
    assert sum(len(event.payload) > 2000 for event in events) == 4


async def test_late_readers_get_what_an_event_quotes(store: Store) -> None:
    lease = await have_turn(store)

    events = await _have_quotes(store, lease)

    late = await _of_session(store)
    assert late == events
    assert [event.payload for event in late] == [event.payload for event in events]
    assert await _of_turn(store) == events


@pytest.mark.parametrize("after", range(5))
async def test_a_page_may_begin_between_the_calls_of_an_answer(store: Store, after: int) -> None:
    lease = await have_turn(store)

    events = await _have_quotes(store, lease)

    assert await _of_session(store, after, limit=2) == events[after : after + 2]
    assert await _of_turn(store, after=after, limit=2) == events[after : after + 2]


async def test_what_is_deleted_from_a_conversation_stays_in_the_log(store: Store) -> None:
    lease = await have_turn(store)
    events = await _have_quotes(store, lease)
    (answer,) = await store.read(lambda tx: tx.journal.at([Hit("t1", 1, 0)]))

    await store.write(lambda tx: tx.journal.replace(without(answer, 1)), lock=["s1"])

    assert await _of_session(store) == events


async def test_a_log_without_its_journal_can_still_be_read(store: Store, sql: Sql) -> None:
    lease = await have_turn(store)
    await _have_quotes(store, lease)

    await sql("DELETE FROM journal")

    log = [event.data for event in await _of_session(store)]
    assert [data[name] for data in log for name in ("content", "arguments", "result") if name in data] == [""] * 5


async def _have_quotes(store: Store, lease: Lease) -> list[Event]:
    entries, facts = long_texts(lease.turn_id)
    await store.write(lambda tx: tx.journal.add(entries), lock=[lease.session_id])
    return await append(store, lease, facts)


async def _of_session(store: Store, after: int = 0, limit: int = 100) -> list[Event]:
    return await store.read(lambda tx: tx.events.of_session("s1", after, limit))


async def _of_turn(store: Store, turn_id: str = "t1", after: int = 0, limit: int = 100) -> list[Event]:
    return await store.read(lambda tx: tx.events.of_turn(turn_id, after, limit))


async def test_events_are_appended_only_under_the_lock_of_their_session(store: Store) -> None:
    await have_session(store)

    assert await needs_lock(store, lambda tx: tx.events.append("s1", None, some_events(1)))
    assert await store.read(lambda tx: tx.events.of_session("s1", 0, 9)) == []
