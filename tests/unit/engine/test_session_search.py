"""What an agent finds in sessions of its owner, and what it is told of each."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.store.nouns import a_turn, an_input, have_closed_turn, have_session, some_events
from wakeful.engine.session_search import SessionSearch, _entries, _readable
from wakeful.errors import SessionNotFound
from wakeful.model.journal.entry import Entry, answer_entry, input_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.search.search import FoundMessage, Hit
from wakeful.store.base import Transaction
from wakeful.store.sqlite.store import SqliteStore

CLOCK = FakeClock()


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[SqliteStore]:
    CLOCK.now = 1_000.0
    store = SqliteStore(sqlite_path, CLOCK.time, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


async def have_entries(store: SqliteStore, session_id: str, *entries: Entry, **fields: Any) -> None:
    await have_session(store, session_id, **fields)
    await have_closed_turn(store, entries[0].turn_id, session_id=session_id)
    await store.write(lambda tx: tx.journal.add(list(entries)), lock=[session_id])


async def find(store: SqliteStore, query: str, limit: int = 9, session_id: str = "asking") -> list[FoundMessage]:
    await have_session(store, "asking")
    return list(await SessionSearch(store).find(a_turn(session_id=session_id), query, limit))


async def test_a_message_is_found_with_its_own_time_and_writer(store: SqliteStore) -> None:
    await have_entries(store, "s1", an_input("t1", "the harbour is deep"), title="Ports", updated_at=5.0)
    CLOCK.advance(60.0)
    await store.write(lambda tx: tx.events.append("s1", None, some_events(1, "todo")), lock=["s1"])

    assert await find(store, "harbour") == [
        FoundMessage("s1", "Ports", "t1.0.0", "user", 1_000.0, "the harbour is deep")
    ]


async def test_an_answer_is_found_as_the_assistants(store: SqliteStore) -> None:
    answer = answer_entry("t1", Answered(1, AssistantMessage("a deep harbour"), Usage(1, 1)))
    await have_entries(store, "s1", an_input("t1", "Which port?"), answer)

    (found,) = await find(store, "harbour")
    assert (found.message_id, found.source, found.excerpt) == (answer.id, "assistant", "a deep harbour")


async def test_an_input_is_found_with_its_source(store: SqliteStore) -> None:
    notice = input_entry("t1", 0, 0, {"source": "process_wakeup", "message_id": "", "text": "harbour built"})
    await have_entries(store, "s1", notice)

    assert [found.source for found in await find(store, "harbour")] == ["process_wakeup"]


async def test_a_title_is_found_without_a_message(store: SqliteStore) -> None:
    await have_session(store, "s1", title="The harbour", updated_at=7.0)

    assert await find(store, "harbour") == [FoundMessage("s1", "The harbour", None, "title", 7.0, "The harbour")]


async def test_a_session_is_found_whether_it_is_archived_or_not(store: SqliteStore) -> None:
    for name in ("s1", "s2"):
        await have_session(store, name, title="harbour")
    await store.write(lambda tx: tx.sessions.arrange("s2", archived=True), lock=["s2"])
    while await store.write(lambda tx: tx.search.index_some(100)):
        pass

    assert {found.session_id for found in await find(store, "harbour")} == {"s1", "s2"}


async def test_words_are_whole(store: SqliteStore) -> None:
    await have_session(store, "s1", title="The harbour")

    assert await find(store, "harb") == []


async def test_the_newest_comes_first(store: SqliteStore) -> None:
    for name, at in (("s1", 20.0), ("s2", 30.0), ("s3", 10.0)):
        await have_session(store, name, title="harbour", updated_at=at)

    assert [found.session_id for found in await find(store, "harbour")] == ["s2", "s1", "s3"]
    assert [found.session_id for found in await find(store, "harbour", limit=2)] == ["s2", "s1"]


async def test_only_sessions_of_the_owner_that_are_not_deleted_are_found(store: SqliteStore) -> None:
    await have_session(store, "s1", title="harbour", owner="bob")
    await have_session(store, "s2", title="harbour")
    await have_session(store, "s3", title="harbour", chat_key="telegram:1")
    await store.write(lambda tx: tx.sessions.delete("s2", 9e9), lock=["s2"])

    assert [found.session_id for found in await find(store, "harbour")] == ["s3"]


async def test_in_a_chat_only_its_own_sessions_are_found(store: SqliteStore) -> None:
    await have_session(store, "chat", chat_key="telegram:1")
    for name, key in (("s1", "telegram:1"), ("s2", "telegram:2"), ("s3", "")):
        await have_session(store, name, title="harbour", chat_key=key)

    assert [found.session_id for found in await find(store, "harbour", session_id="chat")] == ["s1"]
    assert len(await find(store, "harbour")) == 3


async def test_a_session_that_is_gone_finds_nothing(store: SqliteStore) -> None:
    with pytest.raises(SessionNotFound):
        await find(store, "harbour", session_id="gone")


async def test_what_has_gone_since_it_was_indexed_is_left_out(store: SqliteStore) -> None:
    asking = await have_session(store, "asking")
    await have_session(store, "s1")
    await have_session(store, "deleted")
    await store.write(lambda tx: tx.sessions.delete("deleted", 9e9), lock=["deleted"])

    async def look(tx: Transaction) -> tuple[list[bool], dict[str, Entry]]:
        readable = [await _readable(tx, name, asking) is not None for name in ("s1", "deleted", "gone")]
        return readable, await _entries(tx, {"s1": Hit("t1", 0, 0), "s2": None})

    assert await store.read(look) == ([True, False, False], {})
