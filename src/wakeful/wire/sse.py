"""Server-sent events: encodes frames, and sends them until the client has gone or the source has ended."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from wakeful.errors import StoreError
from wakeful.wire.uptake import Uptake

# Extensions of ASGI that our server provides: the connection's transport, to see how much is unsent and to abort it;
# and its `send`, which bypasses the middleware, because that changes only the head of a response.
TRANSPORT = "wakeful.transport"
BODY_SEND = "wakeful.body_send"

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    # Keeps nginx from buffering frames.
    (b"x-accel-buffering", b"no"),
]
_COMMENT = {"type": "http.response.body", "body": b":\n\n", "more_body": True}
_END = {"type": "http.response.body", "body": b""}
# How many times per write deadline a stalled reader is checked.
_CHECKS = 4
# After this many pieces in a row, other tasks get to run.
_PIECES_IN_A_ROW = 16
# JSON allows these letters unescaped, but many line readers take them for line breaks: U+0085, U+2028, U+2029.
_NEXT_LINE, _SEPARATORS = b"\xc2\x85", b"\xe2\x80"
_ESCAPED = ((_NEXT_LINE, rb"\u0085"), (b"\xe2\x80\xa8", rb"\u2028"), (b"\xe2\x80\xa9", rb"\u2029"))

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StreamSettings:
    # A client that reads nothing for this long is disconnected.
    write_seconds: float = 20.0
    # A comment is sent after this much silence: proxies keep the stream, and dead connections are noticed.
    comment_seconds: float = 15.0


def frame(number: str, event: str, data: bytes) -> bytes:
    """Encode an event. `data` is JSON on one line."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (number.encode(), event.encode(), data)


def without_line_breaks(frames: bytes) -> bytes:
    """Escape letters that some clients take for line breaks.

    They occur only inside of JSON strings, where the escape means the same.
    """
    if not frames.isascii() and (_SEPARATORS in frames or _NEXT_LINE in frames):
        for letter, escape in _ESCAPED:
            frames = frames.replace(letter, escape)
    return frames


class EventStream:
    """An ASGI response that sends frames until the source ends, the client disconnects or the client stops reading.

    It always closes its source. Thousands may be open, so each costs one task and one timer. A piece of `frames` may
    hold several frames, and is sent in one write.
    """

    def __init__(self, frames: AsyncGenerator[bytes, None], settings: StreamSettings) -> None:
        self._frames = frames
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._sent_at = self._loop.time()
        self._transport: asyncio.Transport | None = None
        self._uptake = Uptake(None, self._sent_at)
        self._has_ended = False
        self._failure: Exception | None = None
        self._commenting: asyncio.Future[None] | None = None
        self._next_check: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self._headers()})
        extensions = scope.get("extensions", {})
        send = extensions.get(BODY_SEND, send)
        if scope["method"] == "HEAD":
            await self._frames.aclose()
            await send(_END)
            return
        self._transport = extensions.get(TRANSPORT)
        self._uptake = Uptake(self._transport, self._sent_at)
        self._check(send)
        pump = asyncio.create_task(self._pump(send), name="stream")
        try:
            # A generator that has not started cannot run its `finally`: let it start even if the client has gone.
            await asyncio.sleep(0)
            # Servers also report a disconnect when the response is complete.
            await until_gone(receive)
        finally:
            self._end(send)
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)
            await self._frames.aclose()
        if self._failure is not None:
            raise self._failure

    def _headers(self) -> list[tuple[bytes, bytes]]:
        """Include the comment interval: a client that receives nothing for longer has lost its connection."""
        return [*_HEADERS, (b"wakeful-heartbeat", b"%g" % self._settings.comment_seconds)]

    async def _pump(self, send: Send) -> None:
        count = 0
        try:
            async for frame in self._frames:
                frame = without_line_breaks(frame)
                await send({"type": "http.response.body", "body": frame, "more_body": True})
                self._uptake.add(len(frame))
                # The next frame may take long; thousands of waiting streams must not each keep their last one.
                del frame
                self._sent_at = self._loop.time()
                count += 1
                if count % _PIECES_IN_A_ROW == 0:
                    # A source that is always ready never suspends this loop, nor does `send` once the client has gone:
                    # without a pause the disconnect would not be noticed.
                    await asyncio.sleep(0)
        except StoreError as error:
            logger.info("a stream was cut off: %s", error)
        except Exception as error:  # A bug in the source: raised once the response has ended.
            self._failure = error
        self._has_ended = True
        await send(_END)

    def _end(self, send: Send) -> None:
        self._has_ended = True
        assert self._next_check is not None
        self._next_check.cancel()
        # The client gets the usual time to read what is still unsent.
        self._check(send)

    def _check(self, send: Send) -> None:
        """Abort a stalled connection or fill silence with a comment, and schedule the next check while it is needed."""
        now = self._loop.time()
        unsent = self._uptake.unsent
        if self._has_ended and not unsent:
            return
        if self._transport is not None and self._uptake.idle_seconds(now) >= self._settings.write_seconds:
            logger.info("a stream was cut off: its client stopped reading")
            # abort(), not close(): close() would wait for ever to send the rest.
            self._transport.abort()
            return
        if not unsent and now - self._sent_at >= self._settings.comment_seconds:
            self._sent_at = now
            self._commenting = asyncio.ensure_future(send(_COMMENT))
        self._next_check = self._loop.call_later(self._pause(now), self._check, send)

    def _pause(self, now: float) -> float:
        """Return the seconds until the next check."""
        silence = self._sent_at + self._settings.comment_seconds - now
        patience = self._settings.write_seconds / _CHECKS
        return min(silence, patience) if silence > 0 else patience


async def until_gone(receive: Receive) -> None:
    """Wait until the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass
