"""Whose news an event is."""

from typing import Any

import pytest

from tests.store.nouns import have_session
from wakeful.engine.news import append_news
from wakeful.model.event import NewEvent
from wakeful.store.base import Store


@pytest.mark.parametrize(("fields", "is_told"), [({}, True), ({"is_listed": False}, False), ({"task_id": "k"}, False)])
async def test_an_event_is_news_to_its_owner_if_a_list_shows_its_session(
    store: Store, fields: dict[str, Any], is_told: bool
) -> None:
    await have_session(store, "s1", owner="alice", **fields)
    event = NewEvent.of("wake_waits", {"reason": "spend"})
    await store.write(lambda tx: append_news(tx, "s1", event), lock=["s1"])

    (appended,) = await store.read(lambda tx: tx.events.of_session("s1", 0, 9))
    assert (appended.kind, appended.turn_id, appended.data) == ("wake_waits", None, {"reason": "spend"})
    told = await store.read(lambda tx: tx.news.after("alice", 0, 9))
    assert [news.event for news in told] == ([appended] if is_told else [])
    assert await store.read(lambda tx: tx.news.after("bob", 0, 9)) == []
