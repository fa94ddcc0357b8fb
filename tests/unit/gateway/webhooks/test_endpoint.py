"""A receiver as the operator has configured it."""

import pytest

from tests.unit.gateway.webhooks.kit import SECRET
from wakeful.errors import ConfigError
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES, WebhookEndpoint

URL = "https://hooks.example:8443/T000/very-secret?token=hidden"


def test_only_its_host_is_ever_shown() -> None:
    endpoint = WebhookEndpoint(URL, SECRET, EVENT_TYPES, "laptop")

    assert endpoint.shown == "https://hooks.example:8443"
    assert "hidden" not in repr(endpoint)
    assert SECRET not in repr(endpoint)


def test_its_key_stays_when_the_secret_is_rotated() -> None:
    endpoint = WebhookEndpoint(URL, SECRET, EVENT_TYPES, "laptop")

    assert WebhookEndpoint(URL, f"{SECRET} {SECRET}", EVENT_TYPES[:1], "laptop").key == endpoint.key
    assert WebhookEndpoint(URL, SECRET, EVENT_TYPES, "ci").key != endpoint.key
    assert WebhookEndpoint(f"{URL}2", SECRET, EVENT_TYPES, "laptop").key != endpoint.key


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example",
        "ftp://hidden.example/",
        "file:///etc/hidden",
        "http://",
        "http://hidden:99999/",
        "http://hidden:0/",
        "http://a..hidden/",
        "http://[::1/hidden",
        "http://hidden.example/a b",
        "http://hidden.example/\n",
        "https://user:hidden@hooks.example/",
        "https://hidden@hooks.example/",
    ],
)
def test_an_address_that_is_of_no_use_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError, match="A webhook's url must") as caught:
        WebhookEndpoint(url, SECRET, EVENT_TYPES, "laptop")

    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("events", [(), ("response.created",), (*EVENT_TYPES, "all")])
def test_unknown_events_are_refused(events: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"some of response\.completed, "):
        WebhookEndpoint(URL, SECRET, events, "laptop")


def test_a_receiver_without_an_owner_is_refused() -> None:
    with pytest.raises(ConfigError, match="owner"):
        WebhookEndpoint(URL, SECRET, EVENT_TYPES, "")


def test_a_wrong_secret_is_refused() -> None:
    with pytest.raises(ConfigError, match="secret"):
        WebhookEndpoint(URL, "hunter2", EVENT_TYPES, "laptop")
