"""An address as HTTP/1.1 needs it: the host to connect to, and the head of a request."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Self
from urllib.parse import SplitResult, quote, unquote, urlsplit

# Characters that stay as they are in a path or a query. The % keeps what is already encoded.
_SAFE = "/%:@!$&'()*+,;=~?[]"
_PORTS = {"http": 80, "https": 443}


class RequestTarget:
    def __init__(self, host: str, port: int, *, is_tls: bool, path: str, headers: Mapping[str, str]) -> None:
        self.host = host
        self.port = port
        self.is_tls = is_tls
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._rest = f" {path} HTTP/1.1\r\n{lines}"

    @classmethod
    def of(cls, url: str, headers: Mapping[str, str]) -> Self:
        """Parse a URL. Its user and password become a header."""
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        path = quote(parts.path or "/", _SAFE) + (f"?{quote(parts.query, _SAFE)}" if parts.query else "")
        own = {"host": _host_header(host, parts.port), **_authorization(parts)}
        port = parts.port or _PORTS[parts.scheme]
        return cls(host, port, is_tls=parts.scheme == "https", path=path, headers={**own, **headers})

    def head(self, method: str, body: bytes) -> bytes:
        length = f"content-length: {len(body)}\r\n" if body else ""
        return f"{method}{self._rest}{length}\r\n".encode("latin-1")


def _host_header(host: str, port: int | None) -> str:
    # An IPv6 address may name a local network interface after a %, which means nothing to the server.
    name = f"[{host.partition('%')[0]}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"authorization": f"Basic {b64encode(pair.encode()).decode()}"}
