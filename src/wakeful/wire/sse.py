"""Server-sent events: frames as bytes, and the response that sends them until its reader or its source is gone."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from wakeful.errors import StoreError

# The server's own extension of ASGI: the connection's transport, to see what is unsent and to cut it off.
TRANSPORT = "wakeful.transport"

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    # Proxies of the nginx family would collect frames otherwise.
    (b"x-accel-buffering", b"no"),
]
_COMMENT = b":\n\n"
# So many frames in a row, at most, before everybody else has a turn.
_BREATH = 16

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


class EventStream:
    """An ASGI response. It closes its source at the end, whichever of the three it was: the source has no more, the
    reader has gone, or the reader takes nothing.
    """

    def __init__(self, frames: AsyncGenerator[bytes, None], settings: StreamSettings) -> None:
        self._frames = frames
        self._settings = settings
        self._sent_at = 0.0
        self._transport: asyncio.Transport | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._transport = scope.get("extensions", {}).get(TRANSPORT)
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        if scope["method"] != "HEAD" and await self._follow(receive, send):
            await self._cut(receive)
            return
        await send({"type": "http.response.body", "body": b""})

    async def _follow(self, receive: Receive, send: Send) -> bool:
        """Send until there is no more to send or nobody to send to. True when the reader must be dropped."""
        jobs = [
            asyncio.create_task(self._pump(send), name="stream"),
            asyncio.create_task(self._comment(send), name="stream comments"),
            asyncio.create_task(until_gone(receive), name="stream reader"),
        ]
        try:
            ended, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)
            await self._frames.aclose()
        failures = [failure for job in ended if (failure := job.exception()) is not None]
        for failure in failures:
            if not isinstance(failure, TimeoutError | StoreError):
                raise failure
            logger.info("a stream was cut: %s", str(failure) or "its reader took nothing")
        return any(isinstance(failure, TimeoutError) for failure in failures)

    async def _pump(self, send: Send) -> None:
        count = 0
        async for frame in self._frames:
            await self._send(send, frame)
            count += 1
            if count % _BREATH == 0:
                # Neither a source that is always ready nor a server that has nobody to send to makes this wait, and
                # the reader's leaving would never be noticed.
                await asyncio.sleep(0)

    async def _comment(self, send: Send) -> None:
        loop = asyncio.get_running_loop()
        self._sent_at = loop.time()
        while True:
            silent = loop.time() - self._sent_at
            if silent >= self._settings.comment_seconds:
                await self._send(send, _COMMENT)
            else:
                await asyncio.sleep(self._settings.comment_seconds - silent)

    async def _send(self, send: Send, data: bytes) -> None:
        while True:
            unsent = self._unsent()
            try:
                # What was waiting when the time was up has not been written: the same bytes are tried again.
                async with asyncio.timeout(self._settings.write_seconds):
                    await send({"type": "http.response.body", "body": data, "more_body": True})
                break
            except TimeoutError:
                # Slow is allowed.
                if self._unsent() >= unsent:
                    raise
        self._sent_at = asyncio.get_running_loop().time()

    def _unsent(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    async def _cut(self, receive: Receive) -> None:
        """What is unsent would wait for a reader that takes nothing, so the connection goes with it."""
        if self._transport is not None:
            self._transport.abort()
            await until_gone(receive)


async def until_gone(receive: Receive) -> None:
    """Wait until the client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
