"""The socket that the server listens on, and who can reach it."""

import errno
import socket
from ipaddress import ip_address

from wakeful.config.config import Config
from wakeful.errors import ConfigError


def bind_listener(config: Config) -> socket.socket:
    """Take the address, before anything is started that would have to be stopped again. Who connects now waits."""
    family, address = _resolve(config)
    if not config.api_keys and not ip_address(address[0]).is_loopback:
        raise ConfigError(
            f"The host {config.host} can be reached from other machines, and no key is configured: "
            "set WAKEFUL_API_KEYS=name=key, or use the host 127.0.0.1."
        )
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        # Until someone listens, another program may bind the same address.
        listener.listen()
    except OSError as error:
        listener.close()
        raise ConfigError(_reason(error, config)) from error
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _resolve(config: Config) -> tuple[socket.AddressFamily, tuple[str, int]]:
    # A name such as localhost may stand for an IPv4 and an IPv6 address: clients try the first everywhere.
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    try:
        found = socket.getaddrinfo(config.host, config.port, family, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        origin = config.origins.get("host", "The host")
        raise ConfigError(f"{origin} must be an address or name of this machine, not {config.host!r}.") from None
    address = found[0][4]
    return family, (str(address[0]), config.port)


def _reason(error: OSError, config: Config) -> str:
    where = f"{config.host}:{config.port}"
    if error.errno == errno.EADDRINUSE:
        return f"The address {where} is in use by another program: stop that one, or choose another with --port."
    if error.errno == errno.EADDRNOTAVAIL:
        origin = config.origins.get("host", "The host")
        return f"{origin} must be an address of this machine, which {config.host} is not."
    if error.errno == errno.EACCES:
        return f"The address {where} is not allowed for this user: choose a port from 1024 with --port."
    return f"The address {where} cannot be used: {error.strerror}."
