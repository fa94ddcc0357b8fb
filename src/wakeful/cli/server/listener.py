"""The sockets that a server listens on, and checks on who can reach them."""

import errno
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

from wakeful.config.config import Config
from wakeful.errors import ConfigError

# The longest path of a Unix socket that Linux accepts, in bytes.
_LONGEST_NAME = 107

logger = logging.getLogger(__name__)


def bind_listener(config: Config) -> socket.socket:
    """Bind the address before anything else is started, so that a failure leaves nothing to stop. Early clients wait.

    Raises ConfigError.
    """
    family, address = _resolve(config)
    if not config.api_keys and not ip_address(address[0]).is_loopback:
        raise ConfigError(
            f"The host {config.host} can be reached from other machines, and no key is configured: "
            "set WAKEFUL_API_KEYS=name=$(wakeful key --new), or use the host 127.0.0.1."
        )
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        # Before listen(), another program could still bind the same address.
        listener.listen()
    except OSError as error:
        listener.close()
        raise ConfigError(_reason(error, config)) from error
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def local_socket(home: Path) -> Path:
    """Return the path of the socket where commands find the server of this home."""
    return home / "wakeful.sock"


def is_answered(path: Path) -> bool:
    """Whether a server listens on this Unix socket."""
    if len(os.fsencode(path)) > _LONGEST_NAME:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.setblocking(False)
        try:
            caller.connect(str(path))
        except BlockingIOError:
            # So many callers wait that there is no room for this one: the server is busy, not absent.
            pass
        except OSError:
            return False
    return True


@contextmanager
def local_listener(home: Path) -> Iterator[socket.socket | None]:
    """Listen on the home's Unix socket, for its owner only. Yield None if another server already does, or if it is not
    possible, which is logged.
    """
    path = local_socket(home)
    listener = _bind_unless(path)
    if listener is None:
        yield None
        return
    made = path.stat().st_ino
    try:
        yield listener
    finally:
        listener.close()
        _remove(path, made)


def bind_local(path: Path) -> socket.socket:
    """Listen on this path, replacing the file of a server that has ended."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # Before bind(), so that other users can never open it.
        os.fchmod(listener.fileno(), 0o600)
        listener.bind(str(path))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def _bind_unless(path: Path) -> socket.socket | None:
    if is_answered(path):
        # Another server of the same home and database: commands can use that one.
        return None
    try:
        if len(os.fsencode(path)) > _LONGEST_NAME:
            reason = f"its name is longer than {_LONGEST_NAME} bytes"
        elif path.exists() and not path.is_socket():
            reason = "a file of that name exists"
        else:
            return bind_local(path)
    except OSError as error:
        reason = error.strerror or str(error)
    logger.warning("other commands cannot reach this server through %s: %s", path, reason)
    return None


def _remove(path: Path, made: int) -> None:
    """Remove our socket, unless another server has replaced it meanwhile."""
    try:
        if path.stat().st_ino == made:
            path.unlink()
    except FileNotFoundError:
        pass


def _resolve(config: Config) -> tuple[socket.AddressFamily, tuple[str, int]]:
    # A name such as localhost may have an IPv4 and an IPv6 address: every client tries the IPv4 one.
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
