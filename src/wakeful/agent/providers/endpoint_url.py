"""The address of an OpenAI-compatible endpoint's chat completions."""

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import SplitResult, urlsplit

from wakeful.errors import ConfigError

_ROUTE = "/chat/completions"


@dataclass(frozen=True, slots=True)
class EndpointUrl:
    # Where requests go. It may contain a password or a key, so it is never shown.
    target: str = field(repr=False)
    # What messages show: scheme, host and path.
    shown: str

    @classmethod
    def under(cls, base_url: str, *, keep_userinfo: bool) -> Self:
        """Return the route under a base URL such as https://api.openai.com/v1, with the query of that URL.

        `keep_userinfo` is false if there is an API key, which needs the same header as a user and password.
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
        # urlsplit checks neither: reading `port` parses it, and encoding rejects a host such as a..b.
        host = (parts.hostname or "").encode("idna")
        is_address = parts.scheme in ("http", "https") and bool(host) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        # The value is not shown: it may contain a password.
        raise ConfigError("OPENAI_BASE_URL must be an address such as https://api.openai.com/v1.")
    return parts
