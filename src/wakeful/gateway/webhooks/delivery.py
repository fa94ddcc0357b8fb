"""Makes the deliveries that report a response's end, and defines the queue that holds them."""

from collections.abc import Iterable
from typing import Protocol

import orjson

from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.model.delivery import Delivery


class DeliveryQueue(Protocol):
    """Deliveries that outlive the process. All times are Unix seconds.

    A new delivery is due at once; `WebhookSender.wake` must be called once it has been committed.
    """

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        """Return at most `limit` due deliveries, the longest due first, and in the same transaction make them due at
        `hold_until`: no other node gets them until then, and they are retried if this process dies."""
        ...

    async def next_due(self) -> float | None:
        """Return when the next delivery is due, including held ones; None if the queue is empty."""
        ...

    async def done(self, delivery_id: str) -> None:
        """Remove a delivery that has arrived. An unknown id is no error, here and below."""
        ...

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        """Count a failed try, and make the next one due at `at`."""
        ...

    async def give_up(self, delivery_id: str, error: str) -> None:
        """Stop trying to send a delivery."""
        ...


def deliveries_of(
    endpoints: Iterable[WebhookEndpoint], *, owner: str, event_type: str, response_id: str, created_at: int
) -> list[Delivery]:
    """Return the deliveries that report a response's end. Calling it again after a crash returns the same ones,
    because they depend on the arguments alone."""
    event_id = "evt_" + response_id.partition("_")[2]
    event = {
        "id": event_id,
        "object": "event",
        "type": event_type,
        "created_at": created_at,
        "data": {"id": response_id},
    }
    body = orjson.dumps(event)
    return [
        Delivery(id=f"{event_id}.{endpoint.key}", event_id=event_id, endpoint=endpoint.key, body=body)
        for endpoint in endpoints
        if endpoint.owner == owner and event_type in endpoint.events
    ]
