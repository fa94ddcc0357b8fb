"""The deliveries that report the end of a response."""

import orjson

from tests.unit.gateway.webhooks.kit import SECRET
from wakeful.gateway.webhooks.delivery import deliveries_of
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES, WebhookEndpoint
from wakeful.model.delivery import Delivery

ALL = WebhookEndpoint("https://a.example/", SECRET, EVENT_TYPES, "laptop")
FAILURES = WebhookEndpoint("https://b.example/", SECRET, ("response.failed",), "laptop")
OTHERS = WebhookEndpoint("https://a.example/", SECRET, EVENT_TYPES, "ci")


def owed(event_type: str) -> list[Delivery]:
    return deliveries_of(
        [ALL, FAILURES, OTHERS],
        owner="laptop",
        event_type=event_type,
        response_id="resp_0a1b",
        created_at=1_700_000_000,
    )


def test_the_body_names_the_response() -> None:
    [delivery] = owed("response.completed")

    assert delivery.event_id == "evt_0a1b"
    assert orjson.loads(delivery.body) == {
        "id": "evt_0a1b",
        "object": "event",
        "type": "response.completed",
        "created_at": 1_700_000_000,
        "data": {"id": "resp_0a1b"},
    }


def test_it_goes_to_the_owner_s_receivers_of_that_event_only() -> None:
    assert [delivery.endpoint for delivery in owed("response.completed")] == [ALL.key]
    assert [delivery.endpoint for delivery in owed("response.failed")] == [ALL.key, FAILURES.key]


def test_made_again_it_is_the_same_and_two_receivers_differ_in_the_id_alone() -> None:
    first, second = owed("response.failed")

    assert owed("response.failed") == [first, second]
    assert first.id != second.id
    assert (first.event_id, first.body) == (second.event_id, second.body)
