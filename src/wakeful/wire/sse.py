"""Server-sent events: frames as bytes, and the response that sends them until its reader or its source is gone."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from wakeful.errors import StoreError
from wakeful.wire.uptake import Uptake

# The server's own extensions of ASGI: the connection's transport, to see what is unsent and to cut it off; and its
# `send`, past the layers around the app, which care for the head of a response only.
TRANSPORT = "wakeful.transport"
BODY_SEND = "wakeful.body_send"

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    # Proxies of the nginx family would collect frames otherwise.
    (b"x-accel-buffering", b"no"),
]
_COMMENT = {"type": "http.response.body", "body": b":\n\n", "more_body": True}
_END = {"type": "http.response.body", "body": b""}
# How many times per write deadline a stalled reader is checked.
_LOOKS = 4
# After so many pieces in a row the other tasks get their turn.
_BREATH = 16
# Letters that JSON may hold as they are and that many readers of lines take for the end of one: U+0085, U+2028, U+2029.
_NEXT_LINE, _SEPARATORS = b"\xc2\x85", b"\xe2\x80"
_ESCAPED = ((_NEXT_LINE, rb"\u0085"), (b"\xe2\x80\xa8", rb"\u2028"), (b"\xe2\x80\xa9", rb"\u2029"))

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StreamSettings:
    # A reader that takes no byte for so long is dropped.
    write_seconds: float = 20.0
    # A comment after so much silence, so that proxies keep the stream and dead readers are noticed.
    comment_seconds: float = 15.0


def frame(number: str, event: str, data: bytes) -> bytes:
    """`data` is JSON on one line."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (number.encode(), event.encode(), data)


def without_line_breaks(frames: bytes) -> bytes:
    """The same frames for readers whose lines end at more letters than those of the format: such letters stand in texts
    of the JSON only, where an escape means the same.
    """
    if not frames.isascii() and (_SEPARATORS in frames or _NEXT_LINE in frames):
        for letter, escape in _ESCAPED:
            frames = frames.replace(letter, escape)
    return frames


class EventStream:
    """An ASGI response. It closes its source at the end, whichever of the three it was: the source has no more, the
    reader has gone, or the reader takes nothing. Thousands may be open, so each has one task of its own and a timer.

    A piece of `frames` may hold several frames, and is sent in one write.
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
        self._looking: asyncio.TimerHandle | None = None

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
        self._look(send)
        pump = asyncio.create_task(self._pump(send), name="stream")
        try:
            # A source that has not begun could not clear up behind itself: it begins, also when the reader has gone.
            await asyncio.sleep(0)
            # That is also what a server says when the response is complete.
            await until_gone(receive)
        finally:
            self._end(send)
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)
            await self._frames.aclose()
        if self._failure is not None:
            raise self._failure

    def _headers(self) -> list[tuple[bytes, bytes]]:
        """With how often it speaks at least: a reader that hears nothing for longer has lost its line."""
        return [*_HEADERS, (b"wakeful-heartbeat", b"%g" % self._settings.comment_seconds)]

    async def _pump(self, send: Send) -> None:
        count = 0
        try:
            async for frame in self._frames:
                frame = without_line_breaks(frame)
                await send({"type": "http.response.body", "body": frame, "more_body": True})
                self._uptake.add(len(frame))
                # It may be long until the next one, and thousands wait.
                del frame
                self._sent_at = self._loop.time()
                count += 1
                if count % _BREATH == 0:
                    # Neither a source that is always ready nor a server whose client has gone makes this wait, and the
                    # disconnect would never be noticed.
                    await asyncio.sleep(0)
        except StoreError as error:
            logger.info("a stream was cut: %s", error)
        except Exception as error:  # A bug in the source: raised when the reader has been let go.
            self._failure = error
        self._has_ended = True
        await send(_END)

    def _end(self, send: Send) -> None:
        self._has_ended = True
        assert self._looking is not None
        self._looking.cancel()
        # It has had everything, or has the usual time to take the rest.
        self._look(send)

    def _look(self, send: Send) -> None:
        """Now and then: drop a reader that takes nothing, and fill silence. Goes on until nothing is unsent."""
        now = self._loop.time()
        unsent = self._uptake.unsent
        if self._has_ended and not unsent:
            return
        if self._transport is not None and self._uptake.idle_seconds(now) >= self._settings.write_seconds:
            logger.info("a stream was cut: its reader took nothing")
            # What is unsent would wait for ever, so the connection goes with it.
            self._transport.abort()
            return
        if not unsent and now - self._sent_at >= self._settings.comment_seconds:
            self._sent_at = now
            self._commenting = asyncio.ensure_future(send(_COMMENT))
        self._looking = self._loop.call_later(self._pause(now), self._look, send)

    def _pause(self, now: float) -> float:
        """How long the next look can wait."""
        silence = self._sent_at + self._settings.comment_seconds - now
        patience = self._settings.write_seconds / _LOOKS
        return min(silence, patience) if silence > 0 else patience


async def until_gone(receive: Receive) -> None:
    """Wait until the client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
