"""A door that one node holds at a time. When that node leaves or dies, another one takes the door over."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NoReturn

from wakeful.engine.ports import Clock
from wakeful.errors import StoreError
from wakeful.model.messaging.door import DoorStatus
from wakeful.store.base import Store, Transaction

# How often a node checks whether it still holds the door, or whether the door is free.
_LOOK_SECONDS = 2.0

logger = logging.getLogger(__name__)


class HeldDoor:
    def __init__(
        self,
        store: Store,
        name: str,
        node: str,
        clock: Clock,
        work: Callable[[], AbstractAsyncContextManager[None]],
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`work` is open while this node holds the door; `close` is called before it leaves the door for good."""
        self._store = store
        self._name = name
        self._node = node
        self._clock = clock
        self._work = work
        self._close = close
        self.status = DoorStatus(since=time.time())
        # Set when the store does not have the status yet.
        self._changed = asyncio.Event()
        self._never = asyncio.Event()

    def note(self, status: DoorStatus) -> None:
        """Keep a status, which the store gets with the next look: all nodes show it."""
        self.status = status
        self._changed.set()

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Hold the door while this is open, whenever it is free; leave it to other nodes afterwards."""
        holding = asyncio.create_task(self._hold(), name=f"door of {self._name}")
        try:
            yield
        finally:
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)
            if self._close is not None:
                await self._close()
            await self._leave()

    async def _hold(self) -> NoReturn:
        while True:
            if await self._take():
                async with self._work():
                    while await self._keep():
                        await self._clock.wait(self._changed, _LOOK_SECONDS)
                logger.warning("another node holds the door of %s now", self._name)
            await self._clock.wait(self._never, _LOOK_SECONDS)

    async def _leave(self) -> None:
        try:
            await self._store.write(lambda tx: tx.platform_doors.release(self._name, self._node))
        except StoreError as error:
            # Another node takes the door when this node's lease has run out.
            logger.warning("the door of %s could not be left: %s", self._name, error)

    async def _take(self) -> bool:
        """Take the door if it is free; else read the status that its node has written."""

        async def body(tx: Transaction) -> DoorStatus | None:
            is_ours = await tx.platform_doors.hold(self._name, self._node)
            return None if is_ours else await tx.platform_doors.status(self._name)

        try:
            elsewhere = await self._store.write(body)
        except StoreError as error:
            logger.warning("the door of %s: %s", self._name, error)
            return False
        self.status = elsewhere or DoorStatus(since=time.time())
        return elsewhere is None

    async def _keep(self) -> bool:
        """Write the status, and return whether this node still holds the door. While the store fails, it does."""
        status = self.status
        self._changed.clear()
        try:
            return await self._store.write(lambda tx: tx.platform_doors.note(self._name, self._node, status))
        except StoreError as error:
            logger.warning("the door of %s: %s", self._name, error)
            return True
