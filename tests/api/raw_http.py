"""HTTP as bytes on a socket, for requests that no client would send."""

import socket
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit

from tests.api.server import ALICE
from tests.patience import PATIENCE


@dataclass(frozen=True, slots=True)
class RawReply:
    status: int
    content_type: str
    # None for a stream that was closed after its headers.
    body: bytes | None


def request_bytes(
    method: str, target: bytes, headers: Sequence[tuple[bytes, bytes]] = (), body: bytes | None = None
) -> bytes:
    lines = [b"%b %b HTTP/1.1" % (method.encode(), target), b"host: localhost", b"connection: close"]
    if not any(name.lower() == b"authorization" for name, _ in headers):
        lines.append(b"authorization: Bearer " + ALICE.encode())
    lines += [b"%b: %b" % header for header in headers]
    if body is not None and not any(name.lower() in (b"content-length", b"transfer-encoding") for name, _ in headers):
        lines.append(b"content-length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")


def hang_up(root: str, sent: bytes) -> None:
    """Send this, and close the connection."""
    with closing(_connect(root)) as connection:
        connection.sendall(sent)


def exchange(root: str, sent: bytes, *, reads_streams: bool = True) -> RawReply | None:
    """Return the reply, or None if the server hung up without one."""
    with closing(_connect(root)) as connection:
        connection.sendall(sent)
        reply = HTTPResponse(connection)
        try:
            reply.begin()
            content_type = reply.headers.get("content-type", "")
            is_left = content_type.startswith("text/event-stream") and not reads_streams
            return RawReply(reply.status, content_type, None if is_left else reply.read())
        except (HTTPException, ConnectionError):
            return None
        finally:
            reply.close()


def _connect(root: str) -> socket.socket:
    where = urlsplit(root)
    return socket.create_connection((where.hostname, where.port), PATIENCE)
