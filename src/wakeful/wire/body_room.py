"""Limits the memory that the bodies of all requests may take together while they are read."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from wakeful.errors import WakefulError

_MIB = 1024 * 1024
# Enough for eight of the largest bodies.
_ROOM = 128 * _MIB
_WAIT_SECONDS = 5.0


class NoRoom(WakefulError):
    """Too many large requests are being read: try again in a moment."""


class BodyRoom:
    """First come, first served. A body reserves all of its room at once, so two bodies cannot deadlock."""

    def __init__(self, size: int = _ROOM) -> None:
        self._free = size
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def taken(self, size: int) -> AsyncIterator[None]:
        """Reserve room while the block runs. Raises NoRoom when none becomes free within some seconds."""
        await self._take(size)
        try:
            yield
        finally:
            self._free += size
            self._serve()

    async def _take(self, size: int) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        self._serve()
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                await turn
        except BaseException as error:
            self._give_up(size, turn)
            if isinstance(error, TimeoutError):
                raise NoRoom from None
            raise

    def _serve(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._free:
            size, turn = self._waiting.popleft()
            if not turn.done():
                self._free -= size
                turn.set_result(None)

    def _give_up(self, size: int, turn: asyncio.Future[None]) -> None:
        """Stop waiting, and return the room if it was granted in the same moment."""
        if turn.done() and not turn.cancelled():
            self._free += size
        self._waiting = deque(entry for entry in self._waiting if entry[1] is not turn)
        self._serve()


class ShareBodyRoom:
    """ASGI middleware: gives all requests the same BodyRoom, as `request.state.body_room`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._room = BodyRoom()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})["body_room"] = self._room
        await self._app(scope, receive, send)
