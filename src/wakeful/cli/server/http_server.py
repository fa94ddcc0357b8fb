"""The HTTP server, from its first answer to its last."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from wakeful.cli.server.bare_send import OfferBareSend
from wakeful.cli.server.http_protocol import BoundedProtocol

# Answers under way get so long to end; then their connections are cut.
_LAST_ANSWERS_SECONDS = 1.5
# And so long to notice it.
_CUT_SECONDS = 0.5
# The date in the headers is renewed so often.
_DATE_SECONDS = 1.0


@asynccontextmanager
async def serving(
    app: ASGIApp, listeners: Sequence[socket.socket], *, before_end: Callable[[], Awaitable[None]]
) -> AsyncIterator[asyncio.Task[None]]:
    """A server that answers, as the job that it is. `before_end` is done while it still does."""
    server = _Server(app)
    job = asyncio.create_task(server.serve(sockets=list(listeners)), name="http server")
    started = asyncio.create_task(server.has_started.wait())
    try:
        jobs: list[asyncio.Future[Any]] = [job, started]
        await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        yield job
    finally:
        started.cancel()
        try:
            await before_end()
        finally:
            server.end()
            await job


class _Server(uvicorn.Server):
    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                OfferBareSend(app),
                http=BoundedProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                workers=1,
                timeout_graceful_shutdown=_LAST_ANSWERS_SECONDS + _CUT_SECONDS,  # type: ignore[arg-type]
            )
        )
        self.has_started = asyncio.Event()
        self._is_ending = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self._is_ending.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.has_started.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As its own, which would wait for a reader that takes nothing and then log an error for each."""
        cutting = asyncio.get_running_loop().call_later(_LAST_ANSWERS_SECONDS, self._cut)
        try:
            await super().shutdown(sockets)
        finally:
            cutting.cancel()

    def _cut(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    async def main_loop(self) -> None:
        """As its own, which looks ten times a second whether it shall end; this one is told."""
        while not await self.on_tick(0):
            try:
                await asyncio.wait_for(self._is_ending.wait(), _DATE_SECONDS)
            except TimeoutError:
                pass

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are ours: the engine stops before the server does."""
        yield
