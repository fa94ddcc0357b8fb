"""Parsers of settings that are addresses: of servers, of this server, and of pages that may use it."""

from urllib.parse import SplitResult, urlsplit

from wakeful.agent.providers.endpoint_url import EndpointUrl
from wakeful.config.values import Unfit, items, text
from wakeful.errors import ConfigError
from wakeful.gateway.entrance.own_address import host_name

_PORTS = {"http": 80, "https": 443}


def database_url(value: object) -> str:
    if not isinstance(value, str) or not value.strip().startswith(("postgresql://", "postgres://")):
        raise Unfit("an address that begins with postgresql://, or empty for a SQLite file in WAKEFUL_HOME")
    return value.strip()


def endpoint_url(value: object) -> str:
    try:
        EndpointUrl.under(text(value), "", keep_userinfo=False)
    except (ConfigError, Unfit):
        raise Unfit("an address such as https://api.openai.com/v1") from None
    return text(value)


def web_url(value: object) -> str:
    """Read the address of an API, without its last slash."""
    try:
        parts = urlsplit(text(value))
    except (Unfit, ValueError):
        raise Unfit("an address such as https://api.example.org") from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.query or parts.fragment:
        raise Unfit("an address such as https://api.example.org")
    return text(value).rstrip("/")


def host_names(value: object) -> tuple[str, ...]:
    return items(value, _is_host, "names or addresses without a port, as in wakeful.example.org,192.168.1.5")


def public_url(value: object) -> str:
    """Return the origin of the address, which must have no path."""
    try:
        parts = urlsplit(text(value))
        is_bare = "@" not in parts.netloc and parts.path in ("", "/") and not parts.query and not parts.fragment
        origin = _origin_of(parts) if is_bare else None
    except (Unfit, ValueError):
        origin = None
    if origin is None:
        raise Unfit("an address such as https://wakeful.example.org, without a path")
    return origin


def origins(value: object) -> tuple[str, ...]:
    """Parse exact origins. A star is refused: with it, any web page could try keys."""
    return items(value, _is_origin, "origins as a browser sends them, as in https://example.org,http://localhost:3000")


def _is_origin(text: str) -> bool:
    try:
        origin = _origin_of(urlsplit(text))
    except ValueError:
        return False
    return text == origin and "*" not in text and text.isascii()


def _origin_of(parts: SplitResult) -> str | None:
    """Return the origin as browsers write it, without the usual port; None if there is none. Raises ValueError."""
    if parts.scheme not in _PORTS or not parts.hostname:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    port = "" if parts.port in (None, _PORTS[parts.scheme]) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def _is_host(name: str) -> bool:
    """Return whether this is a host without a port. The end of a bare IPv6 address looks like one: it gets brackets."""
    bare = f"[{name}]" if ":" in name else name
    return bool(host_name(bare)) and name.count(":") != 1
