"""Where the operator wants to hear of responses."""

import hashlib
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from wakeful.errors import ConfigError
from wakeful.gateway.webhooks.signature import signing_keys

EVENT_TYPES = ("response.completed", "response.failed", "response.cancelled", "response.incomplete")


@dataclass(frozen=True, slots=True)
class WebhookEndpoint:
    """One receiver. Making it raises ConfigError where a value is wrong, in words that show none of them."""

    # It may hold a token in its path or its query.
    url: str = field(repr=False)
    secret: str = field(repr=False)
    # Of EVENT_TYPES.
    events: tuple[str, ...]
    # Whose responses are told: the name of an API key.
    owner: str

    def __post_init__(self) -> None:
        _check_url(self.url)
        signing_keys(self.secret)
        if not self.events or not set(self.events) <= set(EVENT_TYPES):
            raise ConfigError(f"A webhook's events must be some of {', '.join(EVENT_TYPES)}.")
        if not self.owner:
            raise ConfigError("A webhook must name the owner of the responses that it tells of.")

    @property
    def key(self) -> str:
        """Names the receiver in a queue. A new secret does not change it: what waits is signed with the new one."""
        return hashlib.sha256(f"{self.owner}\n{self.url}".encode()).hexdigest()[:32]

    @property
    def shown(self) -> str:
        """The address as far as people may read it."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        # The port is parsed only when asked for, and a host such as a..b fails only when encoded.
        host = (parts.hostname or "").encode("idna")
        is_address = parts.scheme in ("http", "https") and bool(host) and parts.port != 0 and url.isprintable()
    except ValueError:
        is_address = False
    if not is_address or " " in url:
        raise ConfigError("A webhook's url must be an address such as https://example.org/hooks/wakeful.") from None
    if "@" in parts.netloc:
        raise ConfigError("A webhook's url must hold no user or password: requests are signed with its secret instead.")
