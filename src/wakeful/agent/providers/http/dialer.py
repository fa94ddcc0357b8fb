"""Opens connections to one host."""

import asyncio
import socket
import ssl
from collections.abc import Sequence

from aiohappyeyeballs import start_connection
from aiohappyeyeballs.types import AddrInfoType

from wakeful.agent.providers.http.connection import HttpConnection
from wakeful.agent.providers.http.target import RequestTarget

# How long the addresses of a host are reused before the next lookup.
_FRESH_SECONDS = 10.0
# How long to wait for one address before trying the next in parallel (RFC 8305).
_HEAD_START_SECONDS = 0.25


class Dialer:
    def __init__(self, target: RequestTarget, *, connect_seconds: float, idle_seconds: float) -> None:
        self._host = target.host
        self._port = target.port
        self._is_tls = target.is_tls
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._tls: ssl.SSLContext | None = None
        self._lookup: asyncio.Task[Sequence[AddrInfoType]] | None = None
        self._looked_up_at = 0.0

    async def dial(self) -> HttpConnection:
        """Open a connection. Raises OSError, or TimeoutError after `connect_seconds`."""
        async with asyncio.timeout(self._connect_seconds):
            peer = await start_connection(await self._addresses(), happy_eyeballs_delay=_HEAD_START_SECONDS)
            try:
                return await self._speak(peer)
            except BaseException:
                peer.close()
                raise

    async def _speak(self, peer: socket.socket) -> HttpConnection:
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: HttpConnection(self._idle_seconds),
            sock=peer,
            ssl=self._tls,
            # Certificates name hosts without the trailing dot of an absolute name.
            server_hostname=self._host.rstrip(".") if self._tls else None,
            ssl_handshake_timeout=self._connect_seconds if self._tls else None,
        )
        return connection

    async def _addresses(self) -> Sequence[AddrInfoType]:
        """Return the host's addresses. Concurrent callers share one lookup: hundreds of streams may start at once,
        and few threads do lookups.
        """
        now = asyncio.get_running_loop().time()
        if self._lookup is None or (self._lookup.done() and now - self._looked_up_at >= _FRESH_SECONDS):
            self._looked_up_at = now
            self._lookup = asyncio.create_task(self._look_up(), name="look up an endpoint")
            self._lookup.add_done_callback(self._note_failure)
        return await asyncio.shield(self._lookup)

    async def _look_up(self) -> Sequence[AddrInfoType]:
        if self._is_tls and self._tls is None:
            # In a thread: reading the certificates of the system or of SSL_CERT_FILE takes some 50 ms.
            self._tls = await asyncio.to_thread(_tls_context)
        loop = asyncio.get_running_loop()
        return await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)

    def _note_failure(self, lookup: asyncio.Task[Sequence[AddrInfoType]]) -> None:
        """Forget a failed lookup. Retrieve its exception, or asyncio logs it if all waiters were cancelled."""
        if lookup.cancelled() or lookup.exception() is not None:
            self._lookup = None


def _tls_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
