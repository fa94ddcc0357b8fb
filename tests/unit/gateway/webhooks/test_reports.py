"""Reports are written with the end of their turn, for the receivers of its owner who want that event."""

from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest

from tests.unit.gateway.webhooks.kit import BACKGROUND, DONE, SECRET, end_turn
from wakeful.errors import LeaseLost
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES, WebhookEndpoint
from wakeful.model.api.request import TurnRequest
from wakeful.model.messaging.post import Post
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore

NOW = 1_120.5
FAILED = Outcome(TurnStatus.FAILED, "model_auth", "No.")
ALL = WebhookEndpoint("https://a.example/", SECRET, EVENT_TYPES, "alice")
FAILURES = WebhookEndpoint("https://b.example/", SECRET, ("response.failed",), "alice")
OTHERS = WebhookEndpoint("https://a.example/", SECRET, EVENT_TYPES, "bob")


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[Store]:
    store = SqliteStore(sqlite_path, lambda: NOW, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


@pytest.mark.parametrize(
    ("outcome", "event_type"),
    [
        (DONE, "response.completed"),
        (Outcome(TurnStatus.DONE, incomplete="max_output_tokens"), "response.incomplete"),
        (FAILED, "response.failed"),
        (Outcome(TurnStatus.CANCELLED, "stopped", "Stopped."), "response.cancelled"),
    ],
)
async def test_the_end_of_a_background_response_is_reported_to_its_owner_s_receivers(
    store: Store, outcome: Outcome, event_type: str
) -> None:
    await end_turn(store, BACKGROUND, outcome, ALL, OTHERS)

    [post] = await _reports(store)
    assert (post.address.chat_id, post.turn_id) == (ALL.key, "turn_1")
    assert post.address.sender.chat_name == "https://a.example"
    assert orjson.loads(post.wanted) == {
        "id": "evt_1",
        "object": "event",
        "type": event_type,
        "created_at": int(NOW),
        "data": {"id": "resp_1"},
    }


async def test_two_receivers_get_the_same_event_and_none_that_they_do_not_want(store: Store) -> None:
    await end_turn(store, BACKGROUND, FAILED, ALL, FAILURES)
    await end_turn(store, BACKGROUND, DONE, ALL, FAILURES, turn_id="turn_2")

    first, second, third = await _reports(store)
    assert [post.address.chat_id for post in (first, second, third)] == [ALL.key, FAILURES.key, ALL.key]
    assert (first.address.thread_id, first.wanted) == (second.address.thread_id, second.wanted)
    assert len({first.key, second.key, third.key}) == 3


@pytest.mark.parametrize(
    "asked",
    [
        TurnRequest(),
        TurnRequest(kind="response", echo={"background": False}),
        TurnRequest(kind="response"),
        TurnRequest(kind="chat", echo={"background": True}),
    ],
)
async def test_the_ends_of_other_turns_are_not_reported(store: Store, asked: TurnRequest) -> None:
    await end_turn(store, asked, DONE, ALL)

    assert await _reports(store) == []


async def test_a_turn_that_has_ended_already_is_not_reported_again(store: Store) -> None:
    await end_turn(store, BACKGROUND, DONE, ALL)

    with pytest.raises(LeaseLost):
        await end_turn(store, BACKGROUND, FAILED, ALL, FAILURES)

    assert len(await _reports(store)) == 1


async def _reports(store: Store) -> list[Post]:
    return await store.read(lambda tx: tx.posts.at_work("webhook"))
