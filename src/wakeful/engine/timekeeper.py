"""Opens the turns that only time makes due: retries of wake-ups, wake-ups whose budget has freed, and those that have
waited for company.
"""

import asyncio
import logging

from wakeful.engine.assignment import Assignment
from wakeful.engine.dispatcher import Dispatcher
from wakeful.engine.ports import Clock
from wakeful.engine.runners import Runners
from wakeful.engine.settings import EngineSettings
from wakeful.errors import StoreError
from wakeful.model.event import PROCESS_COMPLETE, WAKE_WAITS, WATCH_MATCH
from wakeful.store.base import Signal, Store, Transaction

# After trouble, give the store a moment.
_PAUSE_SECONDS = 1.0
# Sessions that are opened at the same time.
_ABREAST = 16
# What may leave something that waits for a time.
_TIMED = frozenset({WAKE_WAITS, PROCESS_COMPLETE, WATCH_MATCH})

logger = logging.getLogger(__name__)


class Timekeeper:
    def __init__(
        self, store: Store, dispatcher: Dispatcher, runners: Runners, clock: Clock, settings: EngineSettings
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._runners = runners
        self._clock = clock
        self._settings = settings
        self._changed = asyncio.Event()
        store.notifier.listen(self._hear)

    async def run(self) -> None:
        while True:
            try:
                wait = await self.sweep()
            except StoreError as error:
                logger.warning("cannot look for due sessions: %s", error)
                wait = _PAUSE_SECONDS
            except Exception:  # The boundary of a background job: it must go on looking.
                logger.exception("looking for due sessions broke")
                wait = _PAUSE_SECONDS
            await self._clock.wait(self._changed, wait)
            self._changed.clear()

    async def sweep(self) -> float | None:
        """Open what is due; how long to wait for the next. Rivals may leave pending rows, so with them look often."""
        ready, wait = await self._store.read(self._look)
        for first in range(0, len(ready), _ABREAST):
            await asyncio.gather(*map(self._open, ready[first : first + _ABREAST]))
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

        await self._runners.commit(body, lock=[session_id])

    def _hear(self, signal: Signal) -> None:
        """A turn that ends may leave a retry or free what waited for it; a spent budget and a wait for company set a
        time."""
        if any(event.is_final or event.kind in _TIMED for event in signal.events):
            self._changed.set()
