"""A receiver of webhooks, as the operator has configured it."""

import hashlib
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from wakeful.errors import ConfigError
from wakeful.gateway.webhooks.signature import signing_keys

EVENT_TYPES = ("response.completed", "response.failed", "response.cancelled", "response.incomplete")


@dataclass(frozen=True, slots=True)
class WebhookEndpoint:
    """Raises ConfigError for a wrong value, with a message that contains none of the values."""

    # Its path or query may contain a token.
    url: str = field(repr=False)
    secret: str = field(repr=False)
    # Some of EVENT_TYPES.
    events: tuple[str, ...]
    # The name of the API key whose responses are reported.
    owner: str

    def __post_init__(self) -> None:
        _check_url(self.url)
        signing_keys(self.secret)
        if not self.events or not set(self.events) <= set(EVENT_TYPES):
            raise ConfigError(f"A webhook's events must be some of {', '.join(EVENT_TYPES)}.")
        if not self.owner:
            raise ConfigError("A webhook must name the owner of the responses that it reports.")

    @property
    def key(self) -> str:
        """Identifies the receiver in the outbox. A new secret does not change it: waiting posts get the new one."""
        return hashlib.sha256(f"{self.owner}\n{self.url}".encode()).hexdigest()[:32]

    @property
    def shown(self) -> str:
        """The part of the URL that may be logged and stored."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        # urlsplit parses the port only on access, and a host such as a..b fails only when it is encoded.
        host = (parts.hostname or "").encode("idna")
        is_address = parts.scheme in ("http", "https") and bool(host) and parts.port != 0 and url.isprintable()
    except ValueError:
        is_address = False
    if not is_address or " " in url:
        raise ConfigError("A webhook's url must be an address such as https://example.org/hooks/wakeful.") from None
    if "@" in parts.netloc:
        raise ConfigError("A webhook's url must hold no user or password: requests are signed with its secret instead.")
