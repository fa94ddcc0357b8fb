"""How far the events of a gateway session are taken in, kept in the store: another process can resume it there.

Discord sends a process that resumes a session what came meanwhile, also from chats that have no session of ours yet.
What it sends a second time changes nothing.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count

from discord.gateway import DiscordWebSocket
from msgspec import Struct, ValidationError, convert, to_builtins

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.needs import DoorMemory

# How often it is kept at most.
_KEEP_SECONDS = 1.0
_NAME = "gateway"

logger = logging.getLogger(__name__)


class ResumePoint(Struct, frozen=True):
    """What a RESUME needs."""

    session: str
    # All events up to this one are taken in.
    sequence: int
    # Where it has to go.
    gateway: str
    # The roles of the bot, by which people mention it too: Discord names them in a new session alone.
    roles: tuple[int, ...] = ()


class GatewayProgress:
    def __init__(self, memory: DoorMemory, roles: Callable[[], tuple[int, ...]]) -> None:
        """`roles` returns those of the bot."""
        self._memory = memory
        self._roles = roles
        self._socket: DiscordWebSocket | None = None
        # What is in hand: its number, and the sequence of its event.
        self._open: dict[int, int] = {}
        self._numbers = count()
        # The first event of the session.
        self._first = 0
        self._moved = asyncio.Event()
        self._kept: ResumePoint | None = None

    def attach(self, socket: DiscordWebSocket) -> None:
        self._socket = socket

    def note_event(self) -> None:
        """One more was received: what it has brought, if anything, is in hand."""
        self._moved.set()

    def note_new_session(self) -> None:
        """What is in hand from the session before has to be taken in before this one can be resumed."""
        self._first = self._sequence
        self._open = dict.fromkeys(self._open, self._first)

    def begin(self, *, is_missed: bool = False) -> int:
        """Return a number for what the current event has brought, or what came before the session, until `end`."""
        number = next(self._numbers)
        self._open[number] = self._first if is_missed else self._sequence
        return number

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
            try:
                await self._keep_once()
            except WakefulError as error:
                # The next process gets more again than it needs.
                logger.info("How far Discord's events are taken in was not kept: %s", error)
            await asyncio.sleep(_KEEP_SECONDS)

    async def _keep_once(self) -> None:
        point = self._point()
        if point is not None and point != self._kept:
            await self._memory.write({_NAME: to_builtins(point)})
            self._kept = point

    def _point(self) -> ResumePoint | None:
        """Return where to resume; None while not even what came before the session is taken in."""
        sequence = min(self._open.values(), default=self._sequence + 1) - 1
        if self._socket is None or self._socket.session_id is None or sequence < self._first:
            return None
        return ResumePoint(self._socket.session_id, sequence, str(self._socket.gateway), self._roles())

    @property
    def _sequence(self) -> int:
        return 0 if self._socket is None else self._socket.sequence or 0
