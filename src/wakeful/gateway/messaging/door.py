"""The door of one platform: open at one node at a time, and opened again after whatever closes it."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from wakeful.engine.engine import Engine
from wakeful.engine.ports import Clock
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.held_door import HeldDoor
from wakeful.gateway.messaging.outbox.outbox import PlatformOutbox
from wakeful.gateway.messaging.persistence import pause_after
from wakeful.gateway.messaging.platform import Ingress, Platform, TokenRefused
from wakeful.gateway.messaging.settings import MessagingSettings
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.session import Address
from wakeful.store.base import Store

# A line that has held for so long was good: what breaks it is a new outage.
_GOOD_SECONDS = 10.0
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
        # When the line stood for the first time since it was last opened.
        self._stood_at = math.inf
        self.outbox = PlatformOutbox(engine, store, platform, settings, clock)
        self.ingress = make_ingress(self.outbox.postman.job.wake, self.outbox.postman.say)
        self._held = HeldDoor(store, platform.name, engine.node, clock, self._stay_open, platform.close)

    @property
    def status(self) -> DoorStatus:
        return self._held.status

    def at_work(self) -> AbstractAsyncContextManager[None]:
        """Let people in while this is open and no other node does."""
        return self._held.at_work()

    @asynccontextmanager
    async def _stay_open(self) -> AsyncIterator[None]:
        async with self.outbox.at_work(self._engine.supervisor):
            receiving = asyncio.create_task(self._receive(), name=f"{self.platform.name} receives")
            try:
                yield
            finally:
                receiving.cancel()
                await asyncio.gather(receiving, return_exceptions=True)

    async def _receive(self) -> None:
        failures = 0
        while True:
            self._stood_at = math.inf
            try:
                await self.platform.run(self.ingress, self._note_connected)
            except TokenRefused as error:
                self._note_broken(DoorState.REFUSED, str(error))
                await self._pause(_REFUSED_SECONDS)
                continue
            except Exception as error:  # The boundary of an adapter: the line is opened again, whatever broke it.
                self._note_broken(DoorState.RETRYING, _reason(self.platform.name, error))
            failures = 1 if self._clock.monotonic() - self._stood_at >= _GOOD_SECONDS else failures + 1
            await self._pause(pause_after(failures))

    def _note_connected(self, bot: str) -> None:
        self._stood_at = min(self._stood_at, self._clock.monotonic())
        self._note(DoorState.CONNECTED, bot=bot)

    def _note_broken(self, state: DoorState, reason: str) -> None:
        self._note(state, reason)
        logger.warning("the line to %s broke: %s", self.platform.name, reason)

    def _note(self, state: DoorState, error: str = "", bot: str = "") -> None:
        since = self.status.since if self.status.state is state else time.time()
        self._held.note(DoorStatus(state, since, bot or self.status.bot, error))

    async def _pause(self, seconds: float) -> None:
        await self._clock.wait(self._never, seconds)


def _reason(platform: str, error: Exception) -> str:
    """Libraries fail with the names of fields and the like where a server is not what they take it for."""
    if isinstance(error, (WakefulError, OSError)) and str(error):
        return str(error)
    return f"What {platform} sent cannot be read ({type(error).__name__}): check the address of its API if one is set."
