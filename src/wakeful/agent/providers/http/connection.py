"""One HTTP/1.1 connection to an endpoint. It carries one request at a time, and can be used again."""

import asyncio
import os
import ssl
from collections.abc import Awaitable
from typing import cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from wakeful.agent.providers.http.silence import Silence

# Reading from the socket pauses while more bytes of a body than this wait for the reader.
_HIGH_WATER = 65_536
# Most bytes between two pieces of body: heads, interim responses, chunk extensions and trailers.
_FRAMING_LIMIT = 65_536


class ConnectionBroken(Exception):
    """The connection ended, or received something that is not HTTP, before the response was complete."""

    def __init__(self, reason: str, *, is_answered: bool) -> None:
        super().__init__(reason)
        # Whether any byte of a response had arrived.
        self.is_answered = is_answered


class _Unasked(Exception):
    """Stops the parser at a response that belongs to no request."""


class HttpConnection(asyncio.Protocol):
    """Call `ask`, then `read` until the body ends; then `is_reusable` says whether to `ask` again. One reader only."""

    def __init__(self, idle_seconds: float) -> None:
        """`ask` and `read` raise TimeoutError if nothing arrives for `idle_seconds`."""
        self._loop = asyncio.get_running_loop()
        self._silence = Silence(idle_seconds, self._give_up)
        self._parser = HttpResponseParser(self)
        # As lenient as aiohttp's client: some servers write sloppy HTTP.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._failure: Exception | None = None
        self._is_lost = False
        self._is_paused = False
        self._headers: dict[str, str] = {}
        self._pieces: list[bytes] = []
        self._begin()
        self._is_complete = True

    @property
    def is_reusable(self) -> bool:
        if not self._is_complete or not self._may_be_kept or self._is_lost or self._is_paused:
            return False
        # A server may answer before it has read the whole request.
        return self._transport is not None and not self._transport.get_write_buffer_size()

    async def ask(self, head: bytes, body: bytes) -> tuple[int, dict[str, str]]:
        """Send a request; return the status and the headers of its response, with header names in lower case."""
        assert self._transport is not None
        self._begin()
        self._silence.begin()
        self._transport.writelines((head, body))
        await self._wait()
        return self._status, self._headers

    async def read(self) -> bytes:
        """Return the next bytes of the body, b"" at its end."""
        if not self._pieces and not self._is_complete:
            await self._wait()
        pieces, self._pieces, self._size = self._pieces, [], 0
        if self._is_paused:
            self._resume()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        """Close at once, without sending the rest of a request or a TLS close_notify."""
        self._silence.end()
        self._is_lost = True
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit from asyncio's.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._is_complete:
            # No request is open. This may be a last message before the server hangs up, not the next response.
            self.close()
            return
        self._silence.hear()
        self._framing += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self._fail("its answer is not HTTP")
            return
        if self._framing > _FRAMING_LIMIT:
            self._fail("the head of its answer is too large")
        elif self._size > _HIGH_WATER and not self._is_paused:
            self._pause()

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None and not self._is_lost and self._has_head and self._ends_with_connection:
            self._complete()
        else:
            self._fail("it closed the connection" if exc is None else reason_of(exc))
        self._is_lost = True

    def on_message_begin(self) -> None:
        if self._is_complete:
            raise _Unasked

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:
            self._headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1").strip())

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()
        if self._status < 200:
            # An interim response, such as 100 Continue: the final one follows.
            self._headers = {}
            return
        self._has_head = True
        self._wake()

    def on_body(self, body: bytes) -> None:
        self._pieces.append(body)
        self._size += len(body)
        self._framing = 0
        self._wake()

    def on_message_complete(self) -> None:
        if self._has_head:
            self._may_be_kept = self._parser.should_keep_alive()
            self._complete()

    @property
    def _ends_with_connection(self) -> bool:
        is_chunked = "chunked" in self._headers.get("transfer-encoding", "").lower()
        return not is_chunked and "content-length" not in self._headers

    def _begin(self) -> None:
        self._status = 0
        self._headers = {}
        self._pieces = []
        self._size = 0
        # Bytes received since the last piece of body.
        self._framing = 0
        self._has_head = self._is_complete = self._may_be_kept = False

    def _complete(self) -> None:
        self._is_complete = True
        self._silence.end()
        self._wake()

    def _wait(self) -> Awaitable[None]:
        """Wait for the head, a piece of the body, its end, or a failure, which is raised."""
        if self._failure is not None:
            raise self._failure
        self._waiter = self._loop.create_future()
        return self._waiter

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is None or waiter.done():
            return
        if self._failure is None:
            waiter.set_result(None)
        else:
            waiter.set_exception(self._failure)

    def _fail(self, reason: str) -> None:
        self._end_with(ConnectionBroken(reason, is_answered=self._has_head or self._framing > 0))

    def _give_up(self) -> None:
        if self._waiter is None:
            # The reader is busy with what has arrived: silence counts only while it waits.
            self._silence.begin()
        else:
            self._end_with(TimeoutError())

    def _end_with(self, failure: Exception) -> None:
        self._failure = self._failure or failure
        self.close()
        self._wake()

    def _pause(self) -> None:
        assert self._transport is not None
        self._is_paused = True
        self._transport.pause_reading()

    def _resume(self) -> None:
        assert self._transport is not None
        self._is_paused = False
        self._silence.hear()
        if not self._is_lost:
            self._transport.resume_reading()


def reason_of(error: Exception) -> str:
    """Say why a connection failed, in the system's words, without the address: the caller's message names it."""
    if isinstance(error, ssl.SSLError):
        # Its errno is one of OpenSSL's, and its reason is written LIKE_THIS.
        return (error.reason or str(error)).replace("_", " ").lower()
    if isinstance(error, OSError) and error.errno and error.errno > 0:
        return os.strerror(error.errno)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
