"""Opens turns that become due with time: retries of wake-ups, wake-ups whose budget has freed, whatever a day's spend
has held back until midnight, and wake-ups that have waited for company.
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
from wakeful.engine.spend_guard import spent_on_day
from wakeful.errors import SessionLocked
from wakeful.model.event import PROCESS_COMPLETE, WAKE_WAITS, WATCH_MATCH
from wakeful.store.base import Signal, Store, Transaction

# How many sessions are opened at the same time.
_ABREAST = 4
# How long to wait for a session's lock; after that another node has it, and the next sweep looks again.
_PATIENCE_SECONDS = 0.5
# Events after which a row may wait for a stored time.
_TIMED = frozenset({WAKE_WAITS, PROCESS_COMPLETE, WATCH_MATCH})


class Timekeeper:
    def __init__(
        self, store: Store, dispatcher: Dispatcher, commits: Commits, clock: Clock, settings: EngineSettings
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._commits = commits
        self._settings = settings
        self._has_looked_at_spend = False
        self.job = Job("timekeeper", self.sweep, clock)
        store.notifier.listen(self._hear)

    async def sweep(self) -> float | None:
        """Open the turns that are due. Returns the seconds until the next; on a shared store one lease time at most,
        because other nodes may leave pending rows.
        """
        if not self._has_looked_at_spend:
            await self._store.write(self._look_at_spend)
            self._has_looked_at_spend = True
        ready, wait = await self._store.read(self._look)
        for first in range(0, len(ready), _ABREAST):
            abreast = ready[first : first + _ABREAST]
            await asyncio.gather(*(self.job.row(session_id, partial(self._open, session_id)) for session_id in abreast))
        if self._store.is_exclusive:
            return wait
        return min(wait or self._settings.lease_seconds, self._settings.lease_seconds)

    async def _look_at_spend(self, tx: Transaction) -> None:
        """End waits for midnight if the operator has raised the cap meanwhile: this server has just started."""
        cap = self._settings.waking_spend_usd
        if cap is None or await spent_on_day(tx, await tx.now()) < cap:
            await tx.sessions.end_spend_waits()

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
        """Sweep after events that may store a time: the end of a turn may leave a retry or pending rows, a spent budget
        and a wait for company have a time.
        """
        if any(event.is_final or event.kind in _TIMED for event in signal.events):
            self.job.wake()
