"""Lists of sessions: whose, and in which order."""

from typing import Any

from tests.store.nouns import have_session
from wakeful.store.base import Store


async def test_the_session_changed_last_comes_first(store: Store) -> None:
    await have_session(store, "a", updated_at=20.0)
    await have_session(store, "b", updated_at=30.0)
    await have_session(store, "c", updated_at=20.0)

    assert await _page(store, "alice") == ["b", "c", "a"]


async def test_a_page_of_an_owner_has_their_own_and_one_without_an_owner_has_all(store: Store) -> None:
    await have_session(store, "hers", owner="alice", updated_at=2.0)
    await have_session(store, "his", owner="bob", updated_at=1.0)

    assert await _page(store, "bob") == ["his"]
    assert await _page(store, None) == ["hers", "his"]
    assert await _page(store, "carol") == []


async def test_sessions_of_delegations_are_left_out(store: Store) -> None:
    await have_session(store, "parent")
    await have_session(store, "child", task_id="k1")

    assert await _page(store, "alice") == ["parent"]


async def test_pages_follow_one_another_without_a_gap(store: Store) -> None:
    for session_id, updated_at in (("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 2.0), ("e", 3.0)):
        await have_session(store, session_id, updated_at=updated_at)

    assert await _page(store, "alice", limit=2) == ["e", "d"]
    assert await _page(store, "alice", limit=2, before=(2.0, "d")) == ["c", "b"]
    assert await _page(store, None, limit=2, before=(2.0, "b")) == ["a"]


async def test_a_page_may_be_of_a_few_sessions_only(store: Store) -> None:
    for session_id, updated_at in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        await have_session(store, session_id, updated_at=updated_at)
    await have_session(store, "his", owner="bob")

    assert await _page(store, "alice", among=["a", "b", "his", "none"]) == ["b", "a"]
    assert await _page(store, "alice", among=["a", "b", "c"], before=(3.0, "c"), limit=1) == ["b"]
    assert await _page(store, "alice", among=[]) == []
    assert await _page(store, "alice", among=[], pinned=True) == []
    assert await _page(store, "alice", among=["a"], pinned=True) == []


async def test_a_page_may_be_of_the_sessions_of_one_chat_only(store: Store) -> None:
    await have_session(store, "old", chat_key="telegram:private:1", updated_at=1.0)
    await have_session(store, "new", chat_key="telegram:private:1", updated_at=2.0)
    await have_session(store, "other", chat_key="telegram:private:2")
    await have_session(store, "web")

    assert await _page(store, "alice", key="telegram:private:1") == ["new", "old"]
    assert await _page(store, None, key="telegram:private:1", limit=1, before=(2.0, "new")) == ["old"]
    assert await _page(store, "bob", key="telegram:private:1") == []
    assert await _page(store, "alice", key="telegram:private:3") == []


async def _page(store: Store, owner: str | None, *, limit: int = 10, **which: Any) -> list[str]:
    sessions = await store.read(lambda tx: tx.sessions.page(owner, limit=limit, **which))
    return [session.id for session in sessions]
