"""Lists of sessions: whose, in which order, and which of them a search finds."""

from typing import Any

import pytest

from tests.store.nouns import an_input, have_closed_turn, have_session
from wakeful.model.journal import Entry, EntryKind
from wakeful.store.base import Store


async def test_the_session_changed_last_comes_first(store: Store) -> None:
    await have_session(store, "a", updated_at=20.0)
    await have_session(store, "b", updated_at=30.0)
    await have_session(store, "c", updated_at=20.0)

    assert await _page(store, "alice") == ["b", "c", "a"]


async def test_an_owner_sees_their_own_and_nobody_in_particular_sees_all(store: Store) -> None:
    await have_session(store, "hers", owner="alice", updated_at=2.0)
    await have_session(store, "his", owner="bob", updated_at=1.0)

    assert await _page(store, "bob") == ["his"]
    assert await _page(store, None) == ["hers", "his"]
    assert await _page(store, "carol") == []


async def test_sessions_of_delegations_are_left_out(store: Store) -> None:
    await have_session(store, "parent")
    await have_session(store, "child", task_id="k1", title="words")

    assert await _page(store, "alice") == ["parent"]
    assert await _page(store, None, query="words") == []


async def test_pages_follow_one_another_without_a_gap(store: Store) -> None:
    for session_id, updated_at in (("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 2.0), ("e", 3.0)):
        await have_session(store, session_id, updated_at=updated_at)

    assert await _page(store, "alice", limit=2) == ["e", "d"]
    assert await _page(store, "alice", limit=2, before=(2.0, "d")) == ["c", "b"]
    assert await _page(store, None, limit=2, before=(2.0, "b")) == ["a"]


@pytest.mark.parametrize("query", ["weather", "WEATHER", "sunny in B", "100%", "under_score", 'said "no"', r"C:\temp"])
async def test_a_search_finds_words_of_titles_and_of_messages(store: Store, query: str) -> None:
    text = r'The Weather is SUNNY in Bonn, 100% sure; under_score; he said "No"; c:\Temp'
    await have_session(store, "title", title=text, updated_at=3_000.0)
    await have_session(store, "none", title="The end", updated_at=20.0)
    await _have_words(store, "messages", "hello", text)

    assert await _page(store, "alice", query=query) == ["title", "messages"]


@pytest.mark.parametrize("query", ["100_", "weath%", "user", "message_id", "text", "rain"])
async def test_a_search_takes_words_as_they_are_and_looks_at_nothing_else(store: Store, query: str) -> None:
    await have_session(store, "title", title="1000 weathers")
    await _have_words(store, "messages", "1000 weathers")

    assert await _page(store, "alice", query=query) == []


async def test_a_nul_hides_no_words(store: Store) -> None:
    await _have_words(store, "s1", "\0\0before\0", "literally \\u0000 after")

    for query in ("before", r"\u0000 after", "after"):
        assert await _page(store, "alice", query=query) == ["s1"]
    assert await _page(store, "alice", query="rain\0") == []


async def test_a_search_is_limited_to_its_owner_and_page(store: Store) -> None:
    for session_id, updated_at in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        await have_session(store, session_id, title="words", updated_at=updated_at)
    await have_session(store, "his", title="words", owner="bob")

    assert await _page(store, "alice", query="words", before=(3.0, "c"), limit=1) == ["b"]


async def test_without_a_search_no_message_is_looked_at(store: Store) -> None:
    await have_closed_turn(store)
    broken = Entry("t1", 0, 0, EntryKind.INPUT, b"\xff")
    await store.write(lambda tx: tx.journal.add([broken]), lock=["s1"])

    assert await _page(store, "alice") == ["s1"]


async def _have_words(store: Store, session_id: str, *texts: str) -> None:
    await have_closed_turn(store, f"turn_of_{session_id}", session_id)
    entries = [an_input(f"turn_of_{session_id}", text, index) for index, text in enumerate(texts)]
    await store.write(lambda tx: tx.journal.add(entries), lock=[session_id])


async def _page(store: Store, owner: str | None, *, limit: int = 10, **which: Any) -> list[str]:
    sessions = await store.read(lambda tx: tx.sessions.page(owner, limit=limit, **which))
    return [session.id for session in sessions]
