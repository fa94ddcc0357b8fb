"""Finds the proxy for an address in the environment: HTTPS_PROXY, HTTP_PROXY, NO_PROXY."""

from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from wakeful.errors import ConfigError


def proxy_for(url: str) -> str | None:
    """Return the proxy to use, None for a direct connection. Loopback addresses are always direct."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxy = getproxies().get(parts.scheme)
    if not proxy or _is_loopback(host) or proxy_bypass(host):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        # The address is not shown: it may contain a password.
        raise ConfigError(
            f"The environment's proxy for {parts.scheme} addresses is not an http:// proxy; name one, or exclude "
            f"{host} with NO_PROXY."
        )
    return proxy


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
