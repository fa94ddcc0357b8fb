"""The queue in a store: deliveries are written with the end of their turn, and the clocks need not agree."""

from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest

from tests.store.nouns import have_turn
from tests.unit.gateway.webhooks.kit import SECRET
from wakeful.engine.clock import SystemClock
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.settings import EngineSettings
from wakeful.engine.words.words import LiveWords
from wakeful.errors import LeaseLost
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES, WebhookEndpoint
from wakeful.gateway.webhooks.queue import StoredQueue
from wakeful.model.request import TurnRequest
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Signal, Store, Transaction
from wakeful.store.sqlite.store import SqliteStore

# The store's clock is two minutes ahead of ours.
STORE_NOW, NOW = 1_120.0, 1_000.0
DONE = Outcome(TurnStatus.DONE)
BACKGROUND = TurnRequest(kind="response", echo={"background": True})


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[Store]:
    store = SqliteStore(sqlite_path, lambda: STORE_NOW, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def queue(store: Store) -> StoredQueue:
    return StoredQueue(store, [_endpoint("alice"), _endpoint("bob")], now=lambda: NOW)


@pytest.mark.parametrize(
    ("outcome", "event_type"),
    [
        (DONE, "response.completed"),
        (Outcome(TurnStatus.DONE, incomplete="max_output_tokens"), "response.incomplete"),
        (Outcome(TurnStatus.FAILED, "model_auth", "No."), "response.failed"),
        (Outcome(TurnStatus.CANCELLED, "stopped", "Stopped."), "response.cancelled"),
    ],
)
async def test_the_end_of_a_background_response_is_sent_to_its_owner_s_receivers(
    store: Store, queue: StoredQueue, outcome: Outcome, event_type: str
) -> None:
    await _close(store, queue, BACKGROUND, outcome)

    [delivery] = await queue.due(NOW, NOW + 60, 10)
    assert delivery.endpoint == _endpoint("alice").key
    assert orjson.loads(delivery.body) == {
        "id": "evt_1",
        "object": "event",
        "type": event_type,
        "created_at": int(STORE_NOW),
        "data": {"id": "resp_1"},
    }


@pytest.mark.parametrize(
    "asked",
    [
        TurnRequest(),
        TurnRequest(kind="response", echo={"background": False}),
        TurnRequest(kind="response"),
        TurnRequest(kind="chat", echo={"background": True}),
    ],
)
async def test_the_ends_of_other_turns_are_not_sent(store: Store, queue: StoredQueue, asked: TurnRequest) -> None:
    await _close(store, queue, asked)

    assert await queue.next_due() is None


async def test_a_turn_that_has_ended_already_adds_nothing_more(store: Store, queue: StoredQueue) -> None:
    await _close(store, queue, BACKGROUND)
    [delivery] = await queue.due(NOW, NOW + 60, 10)
    await queue.done(delivery.id)

    with pytest.raises(LeaseLost):
        await _close(store, queue, BACKGROUND)

    assert await queue.next_due() is None


async def test_only_the_commit_of_such_an_end_says_that_the_queue_has_grown(store: Store, queue: StoredQueue) -> None:
    signals: list[Signal] = []
    store.notifier.listen(signals.append)

    await _close(store, queue, TurnRequest(), turn_id="turn_1")
    await _close(store, queue, BACKGROUND, turn_id="turn_2")

    grown = [queue.has_grown(signal) for signal in signals]
    assert grown.count(True) == 1
    assert signals[grown.index(True)].events[-1].turn_id == "turn_2"
    assert not any(map(queue.has_grown, signals))


async def test_callers_use_their_own_clock(store: Store, queue: StoredQueue) -> None:
    await _close(store, queue, BACKGROUND)

    assert await queue.next_due() == NOW
    [delivery] = await queue.due(NOW, NOW + 60, 10)
    assert await queue.next_due() == NOW + 60
    await queue.retry_later(delivery.id, NOW + 5, "answered 500")
    assert await queue.next_due() == NOW + 5
    assert await _row_due_at(store) == STORE_NOW + 5


async def test_a_delivery_that_is_given_up_leaves_the_queue(store: Store, queue: StoredQueue) -> None:
    await _close(store, queue, BACKGROUND)
    [delivery] = await queue.due(NOW, NOW + 60, 10)

    await queue.give_up(delivery.id, "answered 410")

    assert await queue.next_due() is None


def _endpoint(owner: str) -> WebhookEndpoint:
    return WebhookEndpoint("https://a.example/", SECRET, EVENT_TYPES, owner)


async def _close(
    store: Store, queue: StoredQueue, asked: TurnRequest, outcome: Outcome = DONE, turn_id: str = "turn_1"
) -> None:
    dispatcher = Dispatcher("node1", EngineSettings(), LiveWords(SystemClock()), on_close=queue.add_on_close)
    if await store.read(lambda tx: tx.turns.get(turn_id)) is None:
        await have_turn(store, turn_id, request=asked.dump())

    async def body(tx: Transaction) -> None:
        await dispatcher.close(tx, await dispatcher.lane(tx, "s1"), outcome)

    await store.write(body, lock=["s1"])


async def _row_due_at(store: Store) -> float | None:
    return await store.read(lambda tx: tx.deliveries.next_due())
