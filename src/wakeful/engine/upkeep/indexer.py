"""Fills the search index with new titles and messages, soon after they are written and in batches, so that turns do not
wait for it; also with those that older versions wrote.
"""

import asyncio

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.store.base import Signal, Store, Transaction

# Titles and messages per transaction: other writes wait for it.
_BATCH = 100
# The delay in which new texts gather for one batch, and the pause between two batches for other writes.
_SETTLING_SECONDS = 0.5
_PAUSE_SECONDS = 0.02


class Indexer:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._never = asyncio.Event()
        self.job = Job("indexer", self.sweep, clock, settling_seconds=_SETTLING_SECONDS)
        store.notifier.listen(self._hear)

    async def sweep(self) -> None:
        while await self._store.write(_index_some):
            await self._clock.wait(self._never, _PAUSE_SECONDS)

    def _hear(self, signal: Signal) -> None:
        self.job.wake()


async def _index_some(tx: Transaction) -> bool:
    return await tx.search.index_some(_BATCH)
