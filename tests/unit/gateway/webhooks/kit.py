"""What tests of the webhooks share: a receiver that is a real server, and a queue in memory."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from aiohttp import web

from tests.engine.kit import FakeClock
from tests.patience import PATIENCE
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES, WebhookEndpoint
from wakeful.model.delivery import Delivery

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

    async def _take(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.visits.append(Visit(request.path_qs, headers, await request.read()))
        if self._answer:
            return await self._answer(request)
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        return web.Response(status=status, headers={"location": "/elsewhere"})


class SenderClock(FakeClock):
    """Records how long the sender waits after each sweep."""

    def __init__(self) -> None:
        super().__init__()
        # Receivers refuse what is older than five minutes. Whole seconds, so that sums are exact.
        self.now = float(int(time.time()))
        self.waits: list[float | None] = []
        self._waits = asyncio.Event()

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        self.waits.append(seconds)
        self._waits.set()
        await super().wait(event, seconds)

    async def until_waits(self, times: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.waits) < times:
                self._waits.clear()
                await self._waits.wait()


@dataclass(slots=True)
class _Row:
    delivery: Delivery
    due_at: float


@dataclass(slots=True)
class MemoryQueue:
    rows: dict[str, _Row] = field(default_factory=dict)
    done_ids: list[str] = field(default_factory=list)
    given_up: dict[str, str] = field(default_factory=dict)
    # (seconds since the epoch, error) of each failed try that is tried again.
    retries: list[tuple[float, str]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, *deliveries: Delivery, due_at: float = 0.0) -> None:
        for delivery in deliveries:
            self.rows.setdefault(delivery.id, _Row(delivery, due_at))

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                self._changed.clear()
                await self._changed.wait()

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        self._changed.set()
        if self.errors:
            raise self.errors.pop(0)
        taken = [row for row in self.rows.values() if row.due_at <= now][:limit]
        for row in taken:
            row.due_at = hold_until
        return [row.delivery for row in taken]

    async def next_due(self) -> float | None:
        return min((row.due_at for row in self.rows.values()), default=None)

    async def done(self, delivery_id: str) -> None:
        del self.rows[delivery_id]
        self.done_ids.append(delivery_id)
        self._changed.set()

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        row = self.rows[delivery_id]
        row.delivery, row.due_at = replace(row.delivery, tries=row.delivery.tries + 1), at
        self.retries.append((at, error))
        self._changed.set()

    async def give_up(self, delivery_id: str, error: str) -> None:
        del self.rows[delivery_id]
        self.given_up[delivery_id] = error
        self._changed.set()
