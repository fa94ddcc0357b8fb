"""Limits how many turns work at once, and decides which turn gets the next free slot.

A turn is opened in any case; when all slots are taken, it waits before its first step. Owners are served in rotation,
so an owner with a hundred messages does not keep the others waiting. Turns that were taken over have separate, fewer
slots: after a restart the models are not asked for all of them at once. A turn that waits for its sub-agents or for a
person lends its slot: otherwise parents could hold all slots while their children wait for one.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from wakeful.model.turn import Turn

OwnerOf = Callable[[Turn], Awaitable[str]]

# Slots for turns that were taken over, as a share of the slots for new turns.
_FOR_TAKEN_OVER = 1 / 5


class _Line:
    """The slots of one kind, and the turns that wait for one."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.taken = 0
        # Turns that have lent their slot and want it back; they come before turns that have not begun.
        self._returning: deque[asyncio.Future[None]] = deque()
        # By owner; the owner who was served last comes last.
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        return len(self._returning) + sum(map(len, self._waiting.values()))

    @property
    def has_room(self) -> bool:
        return self.taken < self._limit and not self.waiting

    def take_if_free(self) -> bool:
        if not self.has_room:
            return False
        self.taken += 1
        return True

    async def wait(self, owner: str) -> None:
        await self._wait_in(self._waiting.setdefault(owner, deque()))

    async def take_again(self) -> None:
        """Wait to get the lent slot back. A cancelled caller gets it at once, over the limit, and soon gives it up."""
        if self.take_if_free():
            return
        try:
            await self._wait_in(self._returning)
        except asyncio.CancelledError:
            self.taken += 1
            raise

    def give_back(self) -> None:
        self.taken -= 1
        self._admit()

    def close(self) -> None:
        for future in [*self._returning, *(future for queue in self._waiting.values() for future in queue)]:
            future.cancel()

    async def _wait_in(self, queue: deque[asyncio.Future[None]]) -> None:
        admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(admitted)
        self._admit()
        try:
            await admitted
        except asyncio.CancelledError:
            if admitted in queue:
                queue.remove(admitted)
                self._forget_empty()
            elif not admitted.cancelled():
                self.give_back()  # The slot was given just before the cancellation.
            raise

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


@dataclass(slots=True)
class _Slot:
    line: _Line
    # How many calls of the turn lend it now; calls run side by side.
    lenders: int = 0


# The slot of the turn in whose context the code runs.
_slot: ContextVar[_Slot | None] = ContextVar("turn_slot", default=None)


class TurnSlots:
    def __init__(self, limit: int, owner_of: OwnerOf) -> None:
        """`owner_of` is called only when a turn has to wait."""
        self._owner_of = owner_of
        self._new = _Line(limit)
        self._taken_over = _Line(max(1, round(limit * _FOR_TAKEN_OVER)))

    @property
    def taken(self) -> int:
        return self._new.taken + self._taken_over.taken

    @property
    def waiting(self) -> int:
        return self._new.waiting + self._taken_over.waiting

    @property
    def has_room(self) -> bool:
        """Return whether a new turn could begin at once."""
        return self._new.has_room

    @asynccontextmanager
    async def taken_by(self, turn: Turn) -> AsyncIterator[None]:
        """Wait for a slot and hold it until the context exits. Cancelling the wait leaves the queue at once."""
        line = self._taken_over if turn.was_taken_over else self._new
        if not line.take_if_free():
            await line.wait(await self._owner_of(turn))
        token = _slot.set(_Slot(line))
        try:
            yield
        finally:
            _slot.reset(token)
            line.give_back()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Lend the slot of the current turn to others until the context exits, then wait to get it back."""
        slot = _slot.get()
        if slot is None:
            yield
            return
        slot.lenders += 1
        if slot.lenders == 1:
            slot.line.give_back()
        try:
            yield
        except BaseException:
            # A cancelled call cannot wait: the turn gets its slot back at once, and usually gives it up soon.
            if _is_last_lender(slot):
                slot.line.taken += 1
            raise
        if _is_last_lender(slot):
            await slot.line.take_again()

    def close(self) -> None:
        """Cancel the turns that wait: the server is stopping, and the next node runs them."""
        self._new.close()
        self._taken_over.close()


def _is_last_lender(slot: _Slot) -> bool:
    slot.lenders -= 1
    return slot.lenders == 0
