"""A delivery: one event for one receiver of webhooks."""

from dataclasses import dataclass

# The longest wait between two tries. A delivery that is due later than that is due now: the clock was set back.
LONGEST_WAIT_SECONDS = 5 * 3600.0


@dataclass(frozen=True, slots=True)
class Delivery:
    # Made from the event and the receiver, so that a queue holds each delivery once.
    id: str
    # The webhook-id of every try, by which a receiver recognises duplicates.
    event_id: str
    # The `key` of its WebhookEndpoint, which has the address and the secret: neither is stored in a queue.
    endpoint: str
    # Every try sends the same bytes.
    body: bytes
    # How many tries have failed; `retry_later` counts them.
    tries: int = 0
