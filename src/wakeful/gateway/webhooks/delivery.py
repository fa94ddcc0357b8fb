"""What a response's end owes to receivers, and the queue that it waits in."""

from collections.abc import Iterable
from typing import Protocol

import orjson

from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.model.delivery import Delivery


class DeliveryQueue(Protocol):
    """Deliveries that outlive the process. All times are Unix seconds.

    A new delivery is due at once. Whoever adds one calls `WebhookSender.hear` after the commit.
    """

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        """Hand out at most `limit` deliveries that are due, the longest due first, and in the same transaction make
        them due at `hold_until`: nobody else gets them meanwhile, and they come again if this process dies."""
        ...

    async def next_due(self) -> float | None:
        """When the next one is due, those held included. None when nothing waits."""
        ...

    async def done(self, delivery_id: str) -> None:
        """It has arrived and waits no more. One that is not there is no error, here and below."""
        ...

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        """A try has failed, which is counted; the next is due at `at`."""
        ...

    async def give_up(self, delivery_id: str, error: str) -> None:
        """It will not be tried again."""
        ...


def deliveries_of(
    endpoints: Iterable[WebhookEndpoint], *, owner: str, event_type: str, response_id: str, created_at: int
) -> list[Delivery]:
    """Return what a response's end owes to the receivers. It follows from its arguments alone, so telling it again
    after a crash makes the same deliveries."""
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
