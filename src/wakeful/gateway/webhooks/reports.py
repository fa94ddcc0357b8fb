"""Reports the ends of background responses: in the transaction of an end, its posts are written for the receivers."""

from collections.abc import Sequence

import orjson

from wakeful.gateway.openai.api import response_id
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.model.api.request import request_as_far_as_known
from wakeful.model.messaging.post import WEBHOOK, Post, PostKind, new_post_id
from wakeful.model.session import Address, Sender
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Transaction

_EVENT_TYPE = {
    TurnStatus.DONE: "response.completed",
    TurnStatus.FAILED: "response.failed",
    TurnStatus.CANCELLED: "response.cancelled",
}


class EndReports:
    def __init__(self, endpoints: Sequence[WebhookEndpoint]) -> None:
        self._endpoints = endpoints

    async def write(self, tx: Transaction, turn: Turn, outcome: Outcome) -> None:
        """Write the posts of a turn that ends, in the transaction of that end, so that a crash loses none."""
        if not _is_background_response(turn):
            return
        session = await tx.sessions.get(turn.session_id)
        assert session is not None
        event_type = "response.incomplete" if outcome.incomplete else _EVENT_TYPE[outcome.status]
        for endpoint in self._endpoints:
            if endpoint.owner == session.owner and event_type in endpoint.events:
                await put_report(tx, endpoint, turn.id, event_type)


async def put_report(tx: Transaction, endpoint: WebhookEndpoint, turn_id: str, event_type: str) -> None:
    about, now = response_id(turn_id), await tx.now()
    event_id = "evt_" + about.partition("_")[2]
    event = {
        "id": event_id,
        "object": "event",
        "type": event_type,
        "created_at": int(now),
        "data": {"id": about},
    }
    post = Post(
        new_post_id(),
        f"{event_id}.{endpoint.key}",
        # No event waits for another: each has a thread of its own. Of the receiver only the host is stored.
        Address(WEBHOOK, endpoint.key, event_id, Sender(chat_name=endpoint.shown)),
        PostKind.EVENT,
        orjson.dumps(event).decode(),
        # Not of the session: what is owed to a receiver outlives it.
        turn_id=turn_id,
        position=await tx.posts.next_position(),
        created_at=now,
    )
    await tx.posts.put(post)


def _is_background_response(turn: Turn) -> bool:
    asked = request_as_far_as_known(turn.request)
    return asked.kind == "response" and bool(asked.echo.get("background"))
