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
        if self.tail and event.session_seq != self.tail[-1].session_seq + 1:
            self.tail.clear()
        self.tail.append(event)

    def wake(self) -> None:
        for changed in self.subscribers:
            changed.set()


class Broadcaster:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._followed: dict[str, _Followed] = {}
        store.notifier.listen(self._hear)

    async def follow_session(self, session_id: str, after: int) -> AsyncGenerator[Event, None]:
        """All events of a session with a number above `after`, for ever."""
        with self._subscribed(session_id) as (followed, changed):
            while True:
                changed.clear()
                page = _session_tail(followed.tail, after)
                if page is None:
                    page = await self._read_session(session_id, after)
                for event in page:
                    after = event.session_seq
                    yield event
                if not page:
                    await changed.wait()

    async def follow_turn(self, session_id: str, turn_id: str, after: int) -> AsyncGenerator[Event, None]:
        """The events of one turn with a number above `after`, up to its last one. Waits for it to open."""
        with self._subscribed(session_id) as (followed, changed):
            while True:
                changed.clear()
                page = _turn_tail(followed.tail, turn_id, after) or await self._read_turn(turn_id, after)
                for event in page:
                    after = event.turn_seq or 0
                    yield event
                    if event.is_final:
                        return
                if not page:
                    await changed.wait()

    def _hear(self, signal: Signal) -> None:
        for event in signal.events:
            if followed := self._followed.get(event.session_id):
                followed.add(event)
        touched = self._followed if signal.is_everything else signal.sessions & self._followed.keys()
        for session_id in touched:
            self._followed[session_id].wake()

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

    async def _read_turn(self, turn_id: str, after: int) -> list[Event]:
        async def body(tx: Transaction) -> list[Event]:
            return await tx.events.of_turn(turn_id, after, _PAGE)

        return await self._store.read(body)


def _session_tail(tail: deque[Event], after: int) -> list[Event] | None:
    """What follows `after`, when the tail knows; None when only the store does."""
    if not tail or not tail[0].session_seq - 1 <= after <= tail[-1].session_seq:
        return None
    return [event for event in tail if event.session_seq > after]


def _turn_tail(tail: deque[Event], turn_id: str, after: int) -> list[Event]:
    """The same for one turn: its next event must be in the tail itself, or there may be a gap before it."""
    page = [event for event in tail if event.turn_id == turn_id and (event.turn_seq or 0) > after]
    return page if page and page[0].turn_seq == after + 1 else []
