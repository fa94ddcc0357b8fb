"""The door of one platform: open at one node at a time, and opened again after whatever closes it."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from wakeful.engine.engine import Engine
from wakeful.engine.ports import Clock
from wakeful.errors import StoreError
from wakeful.gateway.messaging.outbox.outbox import PlatformOutbox
from wakeful.gateway.messaging.platform import Ingress, Platform, TokenRefused
from wakeful.gateway.messaging.settings import MessagingSettings
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.session import Address
from wakeful.store.base import Store, Transaction

# How often a node looks whether the door is still its own, or free.
_LOOK_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 60.0
# A token that was refused may be a platform's trouble: it is tried again after so long.
_REFUSED_SECONDS = 600.0

logger = logging.getLogger(__name__)


class PlatformDoor:
    def __init__(
        self,
        engine: Engine,
        store: Store,
        platform: Platform,
        make_ingress: Callable[[Callable[[], None], Callable[[Address, str], Awaitable[None]]], Ingress],
        settings: MessagingSettings,
        clock: Clock,
    ) -> None:
        """`make_ingress` gets what is to be called when there are new posts, and what shows a sentence at once."""
        self._engine = engine
        self._store = store
        self.platform = platform
        self._settings = settings
        self._clock = clock
        self._never = asyncio.Event()
        # Set when the status is another one than the store has.
        self._changed = asyncio.Event()
        self.outbox = PlatformOutbox(engine, store, platform, settings, clock)
        self.ingress = make_ingress(self.outbox.postman.job.wake, self.outbox.postman.say)
        self.status = DoorStatus(since=time.time())

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Hold the door and let people in while this is open; leave it to other nodes afterwards."""
        holding = asyncio.create_task(self._hold(), name=f"door of {self.platform.name}")
        try:
            yield
        finally:
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)
            await self.platform.close()
            try:
                await self._store.write(lambda tx: tx.platform_doors.release(self.platform.name, self._engine.node))
            except StoreError as error:
                # Another node takes the door when this node's lease has run out.
                logger.warning("the door of %s could not be left: %s", self.platform.name, error)

    async def _hold(self) -> None:
        while True:
            if await self._take():
                await self._stay_open()
            await self._pause(_LOOK_SECONDS)

    async def _stay_open(self) -> None:
        """Receive and send until another node has the door."""
        async with self.outbox.at_work(self._engine.supervisor):
            receiving = asyncio.create_task(self._receive(), name=f"{self.platform.name} receives")
            try:
                while await self._keep():
                    await self._clock.wait(self._changed, _LOOK_SECONDS)
            finally:
                receiving.cancel()
                await asyncio.gather(receiving, return_exceptions=True)
        logger.warning("another node holds the door of %s now", self.platform.name)

    async def _take(self) -> bool:
        """Take the door if it is free; else learn how it is doing at the node that has it."""
        name, node = self.platform.name, self._engine.node

        async def body(tx: Transaction) -> DoorStatus | None:
            return None if await tx.platform_doors.hold(name, node) else await tx.platform_doors.status(name)

        try:
            elsewhere = await self._store.write(body)
        except StoreError as error:
            logger.warning("the door of %s: %s", name, error)
            return False
        self.status = elsewhere or DoorStatus(since=time.time())
        return elsewhere is None

    async def _keep(self) -> bool:
        """Whether this node still holds the door; other nodes read how it is doing here. While the store does not
        answer, nothing changes.
        """
        name, node, status = self.platform.name, self._engine.node, self.status
        self._changed.clear()
        try:
            return await self._store.write(lambda tx: tx.platform_doors.note(name, node, status))
        except StoreError as error:
            logger.warning("the door of %s: %s", name, error)
            return True

    async def _receive(self) -> None:
        failures = 0
        while True:
            began = self._clock.monotonic()
            try:
                await self.platform.run(self.ingress, self._note_connected)
            except TokenRefused as error:
                self._note(DoorState.REFUSED, str(error))
                logger.warning("%s refuses the token: %s", self.platform.name, error)
                await self._pause(_REFUSED_SECONDS)
                continue
            except Exception as error:  # The boundary of an adapter: the line is opened again, whatever broke it.
                self._note(DoorState.RETRYING, str(error) or type(error).__name__)
                logger.warning("the line to %s broke: %s", self.platform.name, error)
            failures = 0 if self._clock.monotonic() - began > _LONGEST_PAUSE_SECONDS else failures + 1
            await self._pause(min(2.0 ** min(failures - 1, 10), _LONGEST_PAUSE_SECONDS) if failures else 1.0)

    def _note_connected(self, bot: str) -> None:
        self._note(DoorState.CONNECTED, bot=bot)

    def _note(self, state: DoorState, error: str = "", bot: str = "") -> None:
        since = self.status.since if self.status.state is state else time.time()
        self.status = DoorStatus(state, since, bot or self.status.bot, error)
        self._changed.set()

    async def _pause(self, seconds: float) -> None:
        await self._clock.wait(self._never, seconds)
