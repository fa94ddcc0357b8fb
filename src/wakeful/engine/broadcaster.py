"""Event log to subscribers: replay, then follow. A subscriber is a cursor into the log, never a buffer.

A short tail is kept in memory of each session that runs a turn here or is followed, so that a live reader costs no
query. It only ever holds committed events without a gap; whoever is behind it reads the store.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from wakeful.model.event import TURN_STARTED, Event
from wakeful.store.base import Signal, Store, Transaction

_PAGE = 500
_TAIL = 256


@dataclass(slots=True)
class _Followed:
    """A session with subscribers or with a running turn. Every event in `tail` directly follows the one before it."""

    is_running: bool = False
    tail: deque[Event] = field(default_factory=lambda: deque(maxlen=_TAIL))
    subscribers: set[asyncio.Event] = field(default_factory=set)

    def add(self, event: Event) -> None:
        newest = self.tail[-1].session_seq if self.tail else None
        if newest is not None and event.session_seq <= newest:
            return  # Two commits were told in another order than they happened in; the store has both.
        if newest is not None and event.session_seq > newest + 1:
            self.tail.clear()
        self.tail.append(event)

    @property
    def is_idle(self) -> bool:
        return not self.subscribers and not self.is_running

    def wake(self) -> None:
        for changed in self.subscribers:
            changed.set()


class Broadcaster:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._followed: dict[str, _Followed] = {}
        self._is_closed = False
        store.notifier.listen(self._hear)
        store.notifier.watch(self._followed.keys)

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
                is_latest = len(page) < _PAGE
                # It may be hours until the next one: a reader that waits holds nothing of what it has seen.
                del page
                if is_latest:
                    await changed.wait()

    async def follow_turn(self, session_id: str, turn_id: str, after: int) -> AsyncGenerator[list[Event], None]:
        """The events of one turn with a number above `after`, up to its last one, as many at a time as there are.
        Waits for it to open.
        """
        with self._subscribed(session_id) as (followed, changed):
            # Every event of the session up to this number was looked at; None while that is not known.
            position: int | None = None
            while not self._is_closed:
                changed.clear()
                news = _from(followed.tail, turn_id, after) if position is None else _after(followed.tail, position)
                if news is None:
                    page, position, has_ended = await self._read_turn(session_id, turn_id, after)
                    if has_ended and not page:
                        return
                else:
                    page = [event for event in news if event.turn_id == turn_id and (event.turn_seq or 0) > after]
                    position = news[-1].session_seq if news else position
                if page:
                    after = page[-1].turn_seq or 0
                    yield page
                    if page[-1].is_final:
                        return
                is_latest = len(page) < _PAGE
                del page, news
                if is_latest:
                    await changed.wait()

    def _hear(self, signal: Signal) -> None:
        told = {event.session_id for event in signal.events}
        for event in signal.events:
            self._keep(event)
        touched = self._followed if signal.is_everything else signal.sessions & self._followed.keys()
        for session_id in list(touched):
            followed = self._followed[session_id]
            if session_id not in told:
                self._lose_track(session_id, followed)
            followed.wake()

    def _keep(self, event: Event) -> None:
        if event.kind == TURN_STARTED:
            self._followed.setdefault(event.session_id, _Followed()).is_running = True
        followed = self._followed.get(event.session_id)
        if followed is None:
            return
        followed.add(event)
        if event.is_final:
            followed.is_running = False
            self._let_go(event.session_id, followed)

    def _lose_track(self, session_id: str, followed: _Followed) -> None:
        """Another node's commit: the tail does not know what came, and must not say that nothing did."""
        followed.tail.clear()
        followed.is_running = False
        self._let_go(session_id, followed)

    def _let_go(self, session_id: str, followed: _Followed) -> None:
        if followed.is_idle and self._followed.get(session_id) is followed:
            del self._followed[session_id]

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
            self._let_go(session_id, followed)

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


def _from(tail: deque[Event], turn_id: str, after: int) -> list[Event] | None:
    """The session's events from the one that follows the turn's `after` on, when the tail has that one."""
    for place, event in enumerate(tail):
        if event.turn_id == turn_id and event.turn_seq == after + 1:
            return list(islice(tail, place, None))
    return None


def _after(tail: deque[Event], number: int) -> list[Event] | None:
    """The session's events above a number, when the tail knows them all; None when only the store does."""
    if not tail or not tail[0].session_seq - 1 <= number <= tail[-1].session_seq:
        return None
    return [event for event in tail if event.session_seq > number]
