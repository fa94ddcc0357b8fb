"""What tests of the webhooks share: a receiver that is a real server, and turns that end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from tests.patience import PATIENCE
from tests.store.nouns import have_turn
from wakeful.engine.clock import SystemClock
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.settings import EngineSettings
from wakeful.engine.words.words import LiveWords
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES, WebhookEndpoint
from wakeful.gateway.webhooks.reports import EndReports
from wakeful.model.api.request import TurnRequest
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Store, Transaction

DONE = Outcome(TurnStatus.DONE)
BACKGROUND = TurnRequest(kind="response", echo={"background": True})
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

    def endpoint(self, host: str = "127.0.0.1", *, secret: str = SECRET, owner: str = "laptop") -> WebhookEndpoint:
        return WebhookEndpoint(f"http://{host}:{self.port}/hook?token=hidden", secret, EVENT_TYPES, owner)

    async def until_visited(self, times: int = 1) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.visits) < times:
                self._visited.clear()
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


async def end_turn(
    store: Store, asked: TurnRequest, outcome: Outcome, *endpoints: WebhookEndpoint, turn_id: str = "turn_1"
) -> None:
    """End a turn of alice's, which begins if there is none yet."""
    reports = EndReports(endpoints)
    dispatcher = Dispatcher("node1", EngineSettings(), LiveWords(SystemClock()), on_close=reports.write)
    if await store.read(lambda tx: tx.turns.get(turn_id)) is None:
        await have_turn(store, turn_id, request=asked.dump())

    async def body(tx: Transaction) -> None:
        await dispatcher.close(tx, await dispatcher.lane(tx, "s1"), outcome)

    await store.write(body, lock=["s1"])
