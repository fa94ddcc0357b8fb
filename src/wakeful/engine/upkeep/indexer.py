"""Makes the words of what is written, so that a search finds them by an index: soon after it was written, many texts at
a time, so that no turn waits for it; and of what an older version has written.
"""

import asyncio

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.store.base import Signal, Store, Transaction

# Titles and messages in one transaction: others want to write, too.
_BATCH = 100
# What is written meanwhile is indexed together; and the room for others between two batches.
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
