"""The address of one route of a model endpoint."""

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import SplitResult, urlsplit

from wakeful.errors import ConfigError

# People paste the whole address of a route as the base URL.
_PASTED = ("/chat/completions", "/responses", "/messages")


@dataclass(frozen=True, slots=True)
class EndpointUrl:
    # Where requests go. It may contain a password or a key, so it is never shown.
    target: str = field(repr=False)
    # What messages show: scheme, host and path.
    shown: str

    @classmethod
    def under(cls, base_url: str, route: str, *, keep_userinfo: bool, setting: str = "base_url") -> Self:
        """Return the route under a base URL such as https://api.openai.com/v1, with the queries of both.

        `keep_userinfo` is false if there is an API key, which needs the same header as a user and password. Raises
        ConfigError, which names the setting that holds the base URL.
        """
        parts = _split(base_url, setting)
        route, _, query = route.partition("?")
        query = "&".join(part for part in (parts.query, query) if part)
        path = _base_path(parts.path, route) + route
        host = parts.netloc.rpartition("@")[2]
        netloc = parts.netloc if keep_userinfo else host
        target = parts._replace(netloc=netloc, path=path, query=query, fragment="").geturl()
        return cls(target, f"{parts.scheme}://{host}{path}")


def _base_path(path: str, route: str) -> str:
    path = path.rstrip("/")
    for pasted in _PASTED:
        path = path.removesuffix(pasted)
    return path.removesuffix("/v1") if route.startswith("/v1/") else path


def _split(base_url: str, setting: str) -> SplitResult:
    try:
        parts = urlsplit(base_url.strip())
        # urlsplit checks neither: reading `port` parses it, and encoding rejects a host such as a..b.
        host = (parts.hostname or "").encode("idna")
        is_address = parts.scheme in ("http", "https") and bool(host) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        # The value is not shown: it may contain a password.
        raise ConfigError(f"{setting} must be an address such as https://api.openai.com/v1.")
    return parts
