"""The host names that this server answers to.

A foreign page can make its own name resolve to our address (DNS rebinding); the Host header then holds that name.
"""

import re
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:@/\\?#\s]+)(:[0-9]{1,5})?")

_HTTP = 80
_USUAL_PORTS = {"http": _HTTP, "https": 443}


class OwnAddress:
    def __init__(self, names: Collection[str] = (), public_url: str = "") -> None:
        """`names` are accepted in addition to loopback; `public_url` is the address at which a proxy serves us."""
        self.public_url = public_url
        public = urlsplit(public_url)
        self._public_host = public.netloc
        self._public_name = host_name(public.netloc)
        self._public_port = public.port or _USUAL_PORTS.get(public.scheme, _HTTP)
        self._names = {plain_name(name) for name in names} | {host_name(self._public_host)}

    def is_host(self, host: str) -> bool:
        """Return whether a Host header names us, with any port: a proxy may have changed it."""
        name = host_name(host)
        return bool(name) and (name in self._names or _is_loopback(name))

    def is_https(self, host: str) -> bool:
        """Return whether browsers are known to reach this host by https."""
        return self.public_url.startswith("https://") and host_name(host) == self._public_name

    def port_of(self, host: str) -> int:
        """Return the port in the browser's URL. Where a proxy leaves it out of Host, the public URL has it."""
        match = _HOST.fullmatch(host)
        if match is not None and match[2]:
            return int(match[2][1:])
        return self._public_port if host_name(host) == self._public_name else _HTTP

    def is_origin(self, origin: str, host: str) -> bool:
        """Return whether a page of this origin is ours, in a request for this host."""
        if self.public_url and origin == self.public_url:
            return True
        # A proxy may use another scheme than we do, and only the public URL says which: accept both for other hosts.
        return host != self._public_host and origin in (f"http://{host}", f"https://{host}")


def host_name(host: str) -> str:
    """Return the name or address in a Host header in normal form, or an empty text if it is malformed."""
    match = _HOST.fullmatch(host)
    if match is None:
        return ""
    return plain_name(match[1].strip("[]"))


def plain_name(name: str) -> str:
    try:
        return ip_address(name).compressed
    except ValueError:
        return name.removesuffix(".").lower()


def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
