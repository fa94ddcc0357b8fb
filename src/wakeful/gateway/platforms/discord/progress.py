"""How far the events of a gateway session are taken in, kept in the store: another process can resume it there.

Discord sends a process that resumes a session what came meanwhile, also from chats that have no session of ours yet. So
a new session is kept at once: what was received in it and died in our hands would be gone with it. What Discord sends a
second time changes nothing.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count

from discord.gateway import DiscordWebSocket
from msgspec import Struct, ValidationError, convert, to_builtins

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.needs import DoorMemory

# How often the progress of one session is kept at most.
_KEEP_SECONDS = 1.0
# Stands for the sequence of what came before the session: its own begin at 1.
_BEFORE = 0
_NAME = "gateway"

logger = logging.getLogger(__name__)


class ResumePoint(Struct, frozen=True):
    """What a RESUME needs."""

    session: str
    # All events of the session up to this one are taken in.
    sequence: int
    # Where it has to go.
    gateway: str
    # The roles of the bot, by which people mention it too: Discord names them in a new session alone.
    roles: tuple[int, ...] = ()
    # Whether something that came before the session is still to be read.
    has_missed: bool = False


class GatewayProgress:
    def __init__(self, memory: DoorMemory, roles: Callable[[], tuple[int, ...]]) -> None:
        """`roles` returns those of the bot."""
        self._memory = memory
        self._roles = roles
        self._socket: DiscordWebSocket | None = None
        # What is in hand: its number, and the sequence of its event.
        self._open: dict[int, int] = {}
        self._numbers = count()
        self._moved = asyncio.Event()
        self._has_begun = asyncio.Event()
        self._kept: ResumePoint | None = None

    def attach(self, socket: DiscordWebSocket) -> None:
        self._socket = socket

    def note_event(self) -> None:
        """One more was received: what it has brought, if anything, is in hand."""
        self._moved.set()

    def note_new_session(self) -> None:
        """What is in hand from the session before does not come again in this one."""
        self._open = dict.fromkeys(self._open, _BEFORE)
        self._has_begun.set()
        self._moved.set()

    def begin(self) -> int:
        """Return a number for what the current event has brought, until `end`."""
        return self._begin(self._sequence)

    def begin_missed(self) -> int:
        """Return a number for what came before the session, until `end`."""
        return self._begin(_BEFORE)

    def end(self, number: int) -> None:
        del self._open[number]
        self._moved.set()

    async def load(self) -> ResumePoint | None:
        kept = (await self._memory.read()).get(_NAME)
        try:
            return None if kept is None else convert(kept, ResumePoint)
        except ValidationError:
            return None

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Write down how far it is, again and again, while this is open."""
        keeping = asyncio.create_task(self._keep(), name="Discord's progress is kept")
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def _keep(self) -> None:
        while True:
            await self._moved.wait()
            self._moved.clear()
            self._has_begun.clear()
            try:
                await self._keep_once()
            except WakefulError as error:
                logger.info("How far Discord's events are taken in was not kept: %s", error)
                self._moved.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(_KEEP_SECONDS):
                    await self._has_begun.wait()

    async def _keep_once(self) -> None:
        point = self._point()
        if point is not None and point != self._kept:
            await self._memory.write({_NAME: to_builtins(point)})
            self._kept = point

    def _point(self) -> ResumePoint | None:
        """Return where to resume; None while there is no session."""
        if self._socket is None or self._socket.session_id is None:
            return None
        received = [sequence for sequence in self._open.values() if sequence != _BEFORE]
        return ResumePoint(
            self._socket.session_id,
            min(received, default=self._sequence + 1) - 1,
            str(self._socket.gateway),
            self._roles(),
            has_missed=len(received) < len(self._open),
        )

    def _begin(self, sequence: int) -> int:
        number = next(self._numbers)
        self._open[number] = sequence
        return number

    @property
    def _sequence(self) -> int:
        return 0 if self._socket is None else self._socket.sequence or 0
