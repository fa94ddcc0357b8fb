"""Keeps this node's lease, apart from everything else that the node does: also while it stops, or is very busy."""

import asyncio
import logging

from wakeful.engine.ports import Clock
from wakeful.engine.settings import EngineSettings
from wakeful.errors import StoreError
from wakeful.model.task import Host
from wakeful.store.base import Store, Transaction

logger = logging.getLogger(__name__)


class LeaseKeeper:
    """The holder of an exclusive store has no rivals and needs no lease."""

    def __init__(self, store: Store, node: str, host: Host, clock: Clock, settings: EngineSettings) -> None:
        self._store = store
        self._node = node
        self._host = host
        self._clock = clock
        self._seconds = settings.lease_seconds
        self._never = asyncio.Event()
        # Until then nobody else can have taken this node's turns.
        self._held_until = 0.0

    def is_held(self) -> bool:
        return self._store.is_exclusive or self._clock.monotonic() < self._held_until

    async def run(self) -> None:
        while not self._store.is_exclusive:
            await self._clock.wait(self._never, self._seconds / 3)
            try:
                await self.renew()
            except StoreError as error:
                logger.warning("the lease could not be renewed: %s", error)
            except Exception:  # The boundary of a background job: the next try may do better.
                logger.exception("the lease could not be renewed")

    async def renew(self) -> None:
        if self._store.is_exclusive:
            return

        async def body(tx: Transaction) -> None:
            await tx.nodes.renew(self._node, await tx.now() + self._seconds, host=self._host.id)

        # From before the write: it cannot count from later.
        began = self._clock.monotonic()
        await self._store.write(body)
        self._held_until = began + self._seconds

    async def give_up(self) -> None:
        async def body(tx: Transaction) -> None:
            await tx.nodes.retire(self._node)

        await self._store.write(body)
