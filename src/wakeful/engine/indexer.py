"""Makes the words of what is written, so that a search finds them by an index: soon after it was written, many texts at
a time, so that no turn waits for it; and of what an older version has written.
"""

import asyncio
import logging

from wakeful.engine.ports import Clock
from wakeful.errors import StoreError
from wakeful.store.base import Signal, Store, Transaction

# Titles and messages in one transaction: others want to write, too.
_BATCH = 100
# So much comes together meanwhile; and the room for others between two batches.
_GATHER_SECONDS = 0.5
_PAUSE_SECONDS = 0.02

logger = logging.getLogger(__name__)


class Indexer:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._changed = asyncio.Event()
        self._never = asyncio.Event()
        store.notifier.listen(self._hear)

    async def run(self) -> None:
        while True:
            try:
                await self.sweep()
            except StoreError as error:
                logger.warning("cannot index what was said: %s", error)
            except Exception:  # The boundary of a background job: it must go on.
                logger.exception("indexing what was said broke")
            await self._clock.wait(self._changed, None)
            await self._clock.wait(self._never, _GATHER_SECONDS)
            self._changed.clear()

    async def sweep(self) -> None:
        while await self._store.write(_index_some):
            await self._clock.wait(self._never, _PAUSE_SECONDS)

    def _hear(self, signal: Signal) -> None:
        self._changed.set()


async def _index_some(tx: Transaction) -> bool:
    return await tx.search.index_some(_BATCH)
