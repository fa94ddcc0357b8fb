"""Runs the HTTP server: uvicorn with our protocol, signals and shutdown."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from wakeful.cli.server.bare_send import OfferBareSend
from wakeful.cli.server.http_protocol import BoundedProtocol

# How long running answers may take at shutdown before their connections are aborted.
_LAST_ANSWERS_SECONDS = 1.5
# How long they then have to notice.
_CUT_SECONDS = 0.5
# How often the Date header is renewed.
_DATE_SECONDS = 1.0


@asynccontextmanager
async def serving(
    app: ASGIApp, listeners: Sequence[socket.socket], *, before_end: Callable[[], Awaitable[None]]
) -> AsyncIterator[asyncio.Task[None]]:
    """Run a server and yield its job once it answers. `before_end` is awaited while it still answers."""
    server = _Server(app)
    job = asyncio.create_task(server.serve(sockets=list(listeners)), name="http server")
    try:
        await asyncio.wait([job, server.has_started], return_when=asyncio.FIRST_COMPLETED)
        yield job
    finally:
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
        self.has_started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._is_ending = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self._is_ending.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.has_started.set_result(None)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Abort stalled connections, which uvicorn would wait for and then log an error for each."""
        cutting = asyncio.get_running_loop().call_later(_LAST_ANSWERS_SECONDS, self._cut)
        try:
            await super().shutdown(sockets)
        finally:
            cutting.cancel()

    def _cut(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    async def main_loop(self) -> None:
        """Wait for an event, where uvicorn polls ten times a second."""
        while not await self.on_tick(0):
            try:
                await asyncio.wait_for(self._is_ending.wait(), _DATE_SECONDS)
            except TimeoutError:
                pass

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: `serve` handles signals, because the engine has to stop before the server."""
        yield
