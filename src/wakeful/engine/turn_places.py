"""How many turns may be at work at once, and who is next when all places are taken.

A turn is opened and owned as ever; with all places taken it waits before its first step. The owners take turns, so
that one who sends a hundred messages does not keep the others waiting. A turn that waits for its sub-agents, or for a
person, lends its place: otherwise a full house of parents would wait for children that find no place.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from wakeful.model.turn import Turn

OwnerOf = Callable[[Turn], Awaitable[str]]


@dataclass(slots=True)
class _Place:
    # Calls of the turn that have lent it; several may run side by side.
    lenders: int = 0


# That of the turn in whose context the code runs.
_place: ContextVar[_Place | None] = ContextVar("turn_place", default=None)


class TurnPlaces:
    def __init__(self, limit: int, owner_of: OwnerOf) -> None:
        """`owner_of` is asked only when a turn has to wait."""
        self._limit = limit
        self._owner_of = owner_of
        self.taken = 0
        # Turns that have begun and want their place back come before those that have not.
        self._returning: deque[asyncio.Future[None]] = deque()
        # By owner; the owner who was served last stands last.
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        return len(self._returning) + sum(map(len, self._waiting.values()))

    @property
    def has_room(self) -> bool:
        return self.taken < self._limit and not self.waiting

    @asynccontextmanager
    async def taken_by(self, turn: Turn) -> AsyncIterator[None]:
        """Have a place while this is open; wait for one before. Cancelling the wait leaves the queue at once."""
        if not self._take_if_free():
            owner = await self._owner_of(turn)
            await self._wait_in(self._waiting.setdefault(owner, deque()))
        token = _place.set(_Place())
        try:
            yield
        finally:
            _place.reset(token)
            self._give_back()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Leave the place of the turn that runs here to others while this is open."""
        place = _place.get()
        if place is None:
            yield
            return
        place.lenders += 1
        if place.lenders == 1:
            self._give_back()
        try:
            yield
        except BaseException:
            # What is cancelled cannot wait: the turn has its place at once, and most often gives it back as soon.
            if self._is_last_lender(place):
                self.taken += 1
            raise
        if self._is_last_lender(place):
            await self._take_again()

    def close(self) -> None:
        """Those who wait are cancelled: the server is stopping, and their turns go on elsewhere."""
        for future in [*self._returning, *(future for queue in self._waiting.values() for future in queue)]:
            future.cancel()

    def _is_last_lender(self, place: _Place) -> bool:
        place.lenders -= 1
        return place.lenders == 0

    async def _take_again(self) -> None:
        if self._take_if_free():
            return
        try:
            await self._wait_in(self._returning)
        except asyncio.CancelledError:
            self.taken += 1
            raise

    def _take_if_free(self) -> bool:
        if not self.has_room:
            return False
        self.taken += 1
        return True

    async def _wait_in(self, queue: deque[asyncio.Future[None]]) -> None:
        turn_comes: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn_comes)
        self._admit()
        try:
            await turn_comes
        except asyncio.CancelledError:
            if turn_comes in queue:
                queue.remove(turn_comes)
                self._forget_empty()
            elif not turn_comes.cancelled():
                self._give_back()  # It was handed over in the same breath.
            raise

    def _give_back(self) -> None:
        self.taken -= 1
        self._admit()

    def _admit(self) -> None:
        while self.taken < self._limit and (future := self._next()) is not None:
            if not future.done():
                self.taken += 1
                future.set_result(None)

    def _next(self) -> asyncio.Future[None] | None:
        if self._returning:
            return self._returning.popleft()
        self._forget_empty()
        if not self._waiting:
            return None
        owner, queue = next(iter(self._waiting.items()))
        self._waiting.move_to_end(owner)
        return queue.popleft()

    def _forget_empty(self) -> None:
        for owner in [owner for owner, queue in self._waiting.items() if not queue]:
            del self._waiting[owner]
