"""Opens the turns that only time makes due: retries of wake-ups, wake-ups whose budget has freed, and those that have
waited for company.
"""

import asyncio
from contextlib import suppress
from functools import partial

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.settings import EngineSettings
from wakeful.errors import SessionLocked
from wakeful.model.event import PROCESS_COMPLETE, WAKE_WAITS, WATCH_MATCH
from wakeful.store.base import Signal, Store, Transaction

# Sessions that are opened at the same time.
_ABREAST = 4
# What waits longer for the lock of a session is in another's hands; the next round looks again.
_PATIENCE_SECONDS = 0.5
# What may leave something that waits for a time.
_TIMED = frozenset({WAKE_WAITS, PROCESS_COMPLETE, WATCH_MATCH})


class Timekeeper:
    def __init__(
        self, store: Store, dispatcher: Dispatcher, commits: Commits, clock: Clock, settings: EngineSettings
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._commits = commits
        self._settings = settings
        self.job = Job("timekeeper", self.sweep, clock)
        store.notifier.listen(self._hear)

    async def sweep(self) -> float | None:
        """Open what is due; how long to wait for the next. Rivals may leave pending rows, so with them look often."""
        ready, wait = await self._store.read(self._look)
        for first in range(0, len(ready), _ABREAST):
            abreast = ready[first : first + _ABREAST]
            await asyncio.gather(*(self.job.row(session_id, partial(self._open, session_id)) for session_id in abreast))
        if self._store.is_exclusive:
            return wait
        return min(wait or self._settings.lease_seconds, self._settings.lease_seconds)

    async def _look(self, tx: Transaction) -> tuple[list[str], float | None]:
        now = await tx.now()
        due = await tx.sessions.next_due(now)
        return await tx.sessions.ready(now), None if due is None else due - now

    async def _open(self, session_id: str) -> None:
        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            return None, await self._dispatcher.open_next(tx, session_id)

        with suppress(SessionLocked):
            await self._commits.commit(body, lock=[session_id], patience=_PATIENCE_SECONDS)

    def _hear(self, signal: Signal) -> None:
        """A turn that ends may leave a retry or free what waited for it; a spent budget and a wait for company set a
        time."""
        if any(event.is_final or event.kind in _TIMED for event in signal.events):
            self.job.wake()
