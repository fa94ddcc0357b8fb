"""Requests begin a few at a time, however many arrive together."""

import asyncio
from collections import deque

from starlette.types import ASGIApp, Receive, Scope, Send

# The first steps of so many requests take some milliseconds.
_MOST_AT_ONCE = 8


class FewAtATime:
    """ASGI middleware, around all others. The event loop does one step of everything that is ready, then the next step
    of each: of 200 requests that arrive together all would be read before the first is answered, and streams that run
    would stand still meanwhile. So only a few begin in each round of the loop; the others wait, first come first
    served, while those go on.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._begun = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._begun < _MOST_AT_ONCE:
            self._begin(1)
        else:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        await self._app(scope, receive, send)

    def _begin(self, count: int) -> None:
        if not self._begun:
            asyncio.get_running_loop().call_soon(self._next_round)
        self._begun += count

    def _next_round(self) -> None:
        self._begun = 0
        while self._waiting and self._begun < _MOST_AT_ONCE:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._begin(1)
