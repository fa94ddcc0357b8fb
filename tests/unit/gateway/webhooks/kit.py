"""What tests of the webhooks share: a receiver that is a real server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from tests.patience import PATIENCE
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES, WebhookEndpoint

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Visit:
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Answers with each status in turn, the last for all that follow, or as `answer` does."""

    def __init__(self, *statuses: int, answer: Answer | None = None) -> None:
        self._statuses = list(statuses or (204,))
        self._answer = answer
        self.visits: list[Visit] = []
        # While set, nothing is answered.
        self.is_mute = False
        self._visited = asyncio.Event()
        self.port = 0

    @asynccontextmanager
    async def serving(self, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator["Receiver"]:
        runner = web.ServerRunner(web.Server(self._take), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, host, port).start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    def endpoint(self, host: str = "127.0.0.1", *, secret: str = SECRET) -> WebhookEndpoint:
        return WebhookEndpoint(f"http://{host}:{self.port}/hook?token=hidden", secret, EVENT_TYPES, "laptop")

    async def until_visited(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self._visited.wait()

    async def _take(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.visits.append(Visit(request.path_qs, headers, await request.read()))
        self._visited.set()
        if self.is_mute:
            await asyncio.Event().wait()
        if self._answer:
            return await self._answer(request)
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        return web.Response(status=status, headers={"location": "/elsewhere"})
