"""Event log to subscribers: replay, then follow. A subscriber is a cursor into the log, never a buffer.

A short tail of each followed session is kept in memory, so that a live reader costs no query. It only ever holds
committed events without a gap; whoever is behind it reads the store.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from wakeful.model.event import Event
from wakeful.store.base import Signal, Store, Transaction

_PAGE = 500
_TAIL = 256


@dataclass(slots=True)
class _Followed:
    """A session with subscribers. Every event in `tail` directly follows the one before it."""

    tail: deque[Event] = field(default_factory=lambda: deque(maxlen=_TAIL))
    subscribers: set[asyncio.Event] = field(default_factory=set)

    def add(self, event: Event) -> None:
        newest = self.tail[-1].session_seq if self.tail else None
        if newest is not None and event.session_seq <= newest:
            return  # Two commits were told in another order than they happened in; the store has both.
        if newest is not None and event.session_seq > newest + 1:
            self.tail.clear()
        self.tail.append(event)

    def wake(self) -> None:
        for changed in self.subscribers:
            changed.set()


class Broadcaster:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._followed: dict[str, _Followed] = {}
        self._is_closed = False
        store.notifier.listen(self._hear)

    def close(self) -> None:
        """End every subscription. Whoever wants more goes on from the last number, at the next node."""
        self._is_closed = True
        for followed in self._followed.values():
            followed.wake()

    async def follow_session(self, session_id: str, after: int) -> AsyncGenerator[Event, None]:
        """All events of a session with a number above `after`, as long as this node lives."""
        with self._subscribed(session_id) as (followed, changed):
            while not self._is_closed:
                changed.clear()
                page = _after(followed.tail, after)
                if page is None:
                    page = await self._read_session(session_id, after)
                for event in page:
                    after = event.session_seq
                    yield event
                if len(page) < _PAGE:
                    await changed.wait()

    async def follow_turn(self, session_id: str, turn_id: str, after: int) -> AsyncGenerator[Event, None]:
        """The events of one turn with a number above `after`, up to its last one. Waits for it to open."""
        with self._subscribed(session_id) as (followed, changed):
            # Every event of the session up to this number was looked at.
            position = -1
            while not self._is_closed:
                changed.clear()
                news = _after(followed.tail, position)
                if news is None:
                    page, position, has_ended = await self._read_turn(session_id, turn_id, after)
                    if has_ended and not page:
                        return
                else:
                    page = [event for event in news if event.turn_id == turn_id and (event.turn_seq or 0) > after]
                    position = news[-1].session_seq if news else position
                for event in page:
                    after = event.turn_seq or 0
                    yield event
                    if event.is_final:
                        return
                if len(page) < _PAGE:
                    await changed.wait()

    def _hear(self, signal: Signal) -> None:
        told = {event.session_id for event in signal.events}
        for event in signal.events:
            if followed := self._followed.get(event.session_id):
                followed.add(event)
        touched = self._followed if signal.is_everything else signal.sessions & self._followed.keys()
        for session_id in touched:
            followed = self._followed[session_id]
            if session_id not in told:
                # Another node's commit: the tail does not know what came, and must not say that nothing did.
                followed.tail.clear()
            followed.wake()

    @contextmanager
    def _subscribed(self, session_id: str) -> Iterator[tuple[_Followed, asyncio.Event]]:
        """Registered before the first read, so that nothing committed after that read goes unheard."""
        followed = self._followed.setdefault(session_id, _Followed())
        changed = asyncio.Event()
        followed.subscribers.add(changed)
        try:
            yield followed, changed
        finally:
            followed.subscribers.discard(changed)
            if not followed.subscribers:
                self._followed.pop(session_id, None)

    async def _read_session(self, session_id: str, after: int) -> list[Event]:
        async def body(tx: Transaction) -> list[Event]:
            return await tx.events.of_session(session_id, after, _PAGE)

        return await self._store.read(body)

    async def _read_turn(self, session_id: str, turn_id: str, after: int) -> tuple[list[Event], int, bool]:
        """A page of a turn, the number of the last event of its session that it takes into account, and whether
        the turn has ended.
        """

        async def body(tx: Transaction) -> tuple[list[Event], int, bool]:
            page = await tx.events.of_turn(turn_id, after, _PAGE)
            if len(page) == _PAGE:
                return page, page[-1].session_seq, False
            session = await tx.sessions.get(session_id)
            return page, 0 if session is None else session.last_seq, await _has_ended(tx, turn_id)

        return await self._store.read(body)


async def _has_ended(tx: Transaction, turn_id: str) -> bool:
    turn = await tx.turns.get(turn_id)
    if turn is not None:
        return turn.status.is_final
    # An id that was given out and never opened has one event at most, and that is its end.
    return bool(await tx.events.of_turn(turn_id, 0, 1))


def _after(tail: deque[Event], number: int) -> list[Event] | None:
    """The session's events above a number, when the tail knows them all; None when only the store does."""
    if not tail or not tail[0].session_seq - 1 <= number <= tail[-1].session_seq:
        return None
    return [event for event in tail if event.session_seq > number]
