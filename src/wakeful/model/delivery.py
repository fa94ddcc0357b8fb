"""A delivery: one event on its way to one receiver of webhooks."""

from dataclasses import dataclass

# Nothing is made to wait longer for its next try. What seems to, waits no more: the clock was set back.
LONGEST_WAIT_SECONDS = 5 * 3600.0


@dataclass(frozen=True, slots=True)
class Delivery:
    # The same for the same event and receiver, so that a queue can refuse to hold it twice.
    id: str
    # The webhook-id of every try, by which a receiver knows what it has seen.
    event_id: str
    # The `key` of its WebhookEndpoint. Address and secret are looked up there and stand in no queue.
    endpoint: str
    # Sent as it is, in every try.
    body: bytes
    # How many tries have failed: each `retry_later` is one.
    tries: int = 0
