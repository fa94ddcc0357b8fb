"""Where an OpenAI-compatible endpoint takes chat completions."""

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import SplitResult, urlsplit

from wakeful.errors import ConfigError

_ROUTE = "/chat/completions"


@dataclass(frozen=True, slots=True)
class EndpointUrl:
    # What is sent to; it may hold a password or a key, so it is never shown.
    target: str = field(repr=False)
    # What people read: scheme, host and path.
    shown: str

    @classmethod
    def under(cls, base_url: str, *, keep_userinfo: bool) -> Self:
        """The route under a base URL such as https://api.openai.com/v1; its query, if any, is kept.

        A user and password in the URL are sent only without an API key, which takes the same header.
        """
        parts = _split(base_url)
        path = parts.path.rstrip("/").removesuffix(_ROUTE) + _ROUTE
        host = parts.netloc.rpartition("@")[2]
        netloc = parts.netloc if keep_userinfo else host
        target = parts._replace(netloc=netloc, path=path, fragment="").geturl()
        return cls(target, f"{parts.scheme}://{host}{path}")


def _split(base_url: str) -> SplitResult:
    try:
        parts = urlsplit(base_url.strip())
        # The port is parsed only when asked for, and a host such as a..b fails only when encoded.
        host = (parts.hostname or "").encode("idna")
        is_address = parts.scheme in ("http", "https") and bool(host) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        # Its value is not shown: it may hold a password.
        raise ConfigError("OPENAI_BASE_URL must be an address such as https://api.openai.com/v1.")
    return parts
