"""The outbox of one platform, at the node that holds its door: facts become posts, posts become messages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from weakref import WeakValueDictionary

from wakeful.engine.engine import Engine
from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.supervisor import Supervisor
from wakeful.gateway.messaging.outbox.live import LiveTurn
from wakeful.gateway.messaging.outbox.manner import Manner
from wakeful.gateway.messaging.outbox.postman import Postman
from wakeful.gateway.messaging.outbox.projection import Projection
from wakeful.gateway.messaging.platform import Platform
from wakeful.gateway.messaging.settings import MessagingSettings
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.store.base import Signal, Store, Transaction

# How many sessions one look finds that have facts without posts.
_SESSIONS = 500
_MOST_KNOWN = 20_000
# What a lost signal would have said is found after so long.
_LOOK_SECONDS = 30.0


def manner_of(platform: str, settings: MessagingSettings) -> Manner:
    edit_seconds = settings.doors[platform].edit_seconds
    return Manner(FORMS[platform], settings.send_timeout, settings.settle_seconds, edit_seconds)


class PlatformOutbox:
    def __init__(
        self, engine: Engine, store: Store, platform: Platform, settings: MessagingSettings, clock: Clock
    ) -> None:
        self._engine = engine
        self._store = store
        self._platform = platform
        self._door = settings.doors[platform.name]
        self._projection = Projection({platform.name: self._door})
        self.postman = Postman(store, platform, engine.node, manner_of(platform.name, settings), clock)
        self.job = Job(f"outbox of {platform.name}", self.sweep, clock)
        # Sessions with commits since the last look; None: all of them may have some.
        self._touched: set[str] | None = set()
        # Which platform a session belongs to never changes.
        self._platforms: dict[str, str] = {}
        self._live: dict[str, asyncio.Task[bool]] = {}
        # A session's posts are written by one transaction at a time: one that had read less would take words back. Held
        # by those who wait for it alone.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._is_open = False
        store.notifier.listen(self._hear)

    @asynccontextmanager
    async def at_work(self, supervisor: Supervisor) -> AsyncIterator[None]:
        """Make and send posts while this is open. It may open again: another node may hold the door in between."""
        self._is_open = True
        self._touched = None
        # What happened while another node held the door is looked for at once.
        self.job.wake()
        try:
            async with self.postman.at_work(supervisor), supervisor.at_work(self.job):
                yield
        finally:
            self._is_open = False
            for task in self._live.values():
                task.cancel()
            await asyncio.gather(*self._live.values(), return_exceptions=True)

    async def sweep(self) -> float | None:
        touched, self._touched = self._touched, set()
        for session_id in await self._store.read(partial(self._wanting, touched)):
            await self.job.row(session_id, partial(self.project, session_id))
        return _LOOK_SECONDS

    async def project(self, session_id: str) -> None:
        """Make posts of all facts of a session, and show the turn that runs in it."""
        async with self._lock(session_id):
            while await self._store.write(partial(self._advance, session_id)):
                pass
        self.postman.job.wake()
        await self._show_running(session_id)

    async def _advance(self, session_id: str, tx: Transaction) -> bool:
        if not await tx.platform_doors.is_held_by(self._platform.name, self._engine.node):
            return False
        return await self._projection.advance(tx, session_id)

    async def _wanting(self, touched: set[str] | None, tx: Transaction) -> list[str]:
        """Return sessions of this platform that may have facts without posts; without hints, all of them."""
        if not touched:
            return await tx.outbox_cursors.behind([self._platform.name], _SESSIONS)
        for session_id in touched - self._platforms.keys():
            session = await tx.sessions.get(session_id)
            if session is not None:
                self._platforms[session_id] = session.address.platform
        while len(self._platforms) > _MOST_KNOWN:
            del self._platforms[next(iter(self._platforms))]
        return sorted(one for one in touched if self._platforms.get(one) == self._platform.name)

    async def _show_running(self, session_id: str) -> None:
        running = await self._store.read(partial(self._running, session_id))
        if running is None or running[1].id in self._live:
            return
        session, turn = running
        live = LiveTurn(
            self._engine,
            self._store,
            self._platform,
            self.postman,
            self._door,
            session,
            turn,
            self.project,
            self._lock(session_id),
        )
        task = asyncio.create_task(self.job.row(turn.id, live.run), name=f"{turn.id} on {self._platform.name}")
        self._live[turn.id] = task
        task.add_done_callback(lambda _: self._live.pop(turn.id))

    def _lock(self, session_id: str) -> asyncio.Lock:
        return self._locks.setdefault(session_id, asyncio.Lock())

    async def _running(self, session_id: str, tx: Transaction) -> tuple[Session, Turn] | None:
        session = await tx.sessions.get(session_id)
        if session is None or session.active is None or session.task_id is not None:
            return None
        turn = await tx.turns.get(session.active)
        is_ours = turn is not None and turn.door.name == self._platform.name and not turn.status.is_final
        return (session, turn) if is_ours and turn is not None else None

    def _hear(self, signal: Signal) -> None:
        """Where anything may have changed, the look that follows has no hints, whatever else is heard before it."""
        if not self._is_open:
            return
        if signal.is_everything:
            self._touched = None
        elif self._touched is not None:
            self._touched |= signal.sessions
        self.job.wake()
