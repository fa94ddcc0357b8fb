"""The queue of deliveries in the store: transactions that close turns fill it, and the sender empties it."""

import time
from collections.abc import Callable, Sequence

from wakeful.gateway.openai.api import response_id
from wakeful.gateway.webhooks.delivery import deliveries_of
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.model.delivery import Delivery
from wakeful.model.request import request_as_far_as_known
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Signal, Store, Transaction

_EVENT_TYPE = {
    TurnStatus.DONE: "response.completed",
    TurnStatus.FAILED: "response.failed",
    TurnStatus.CANCELLED: "response.cancelled",
}


class StoredQueue:
    """The DeliveryQueue of a store. Nodes share it, so it keeps the store's time; callers use their own clock."""

    def __init__(
        self, store: Store, endpoints: Sequence[WebhookEndpoint], *, now: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._endpoints = endpoints
        self._now = now
        # Turns that have added deliveries in a transaction; their final event arrives when it has committed.
        self._uncommitted: set[str] = set()

    async def add_on_close(self, tx: Transaction, turn: Turn, outcome: Outcome) -> None:
        """Add the deliveries of a turn that ends, in the transaction of that end, so that a crash loses none."""
        if not _is_background_response(turn):
            return
        session = await tx.sessions.get(turn.session_id)
        assert session is not None
        now = await tx.now()
        deliveries = deliveries_of(
            self._endpoints,
            owner=session.owner,
            event_type="response.incomplete" if outcome.incomplete else _EVENT_TYPE[outcome.status],
            response_id=response_id(turn.id),
            created_at=int(now),
        )
        for delivery in deliveries:
            await tx.deliveries.add_if_absent(delivery, now)
            self._uncommitted.add(turn.id)

    def has_grown(self, signal: Signal) -> bool:
        """Return whether this commit has added deliveries."""
        ended = {event.turn_id for event in signal.events if event.is_final} & self._uncommitted
        self._uncommitted -= ended
        return bool(ended)

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        async def body(tx: Transaction) -> list[Delivery]:
            ahead = await self._store_ahead(tx)
            return await tx.deliveries.due(now + ahead, hold_until + ahead, limit)

        return await self._store.write(body)

    async def next_due(self) -> float | None:
        async def body(tx: Transaction) -> float | None:
            due_at = await tx.deliveries.next_due()
            return None if due_at is None else due_at - await self._store_ahead(tx)

        return await self._store.read(body)

    async def done(self, delivery_id: str) -> None:
        await self._store.write(lambda tx: tx.deliveries.done(delivery_id))

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        async def body(tx: Transaction) -> None:
            await tx.deliveries.retry_later(delivery_id, at + await self._store_ahead(tx), error)

        await self._store.write(body)

    async def give_up(self, delivery_id: str, error: str) -> None:
        await self._store.write(lambda tx: tx.deliveries.give_up(delivery_id, error))

    async def _store_ahead(self, tx: Transaction) -> float:
        """Return by how many seconds the store's clock is ahead of this process's."""
        return await tx.now() - self._now()


def _is_background_response(turn: Turn) -> bool:
    asked = request_as_far_as_known(turn.request)
    return asked.kind == "response" and bool(asked.echo.get("background"))
