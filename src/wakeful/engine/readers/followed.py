"""The sessions with a reader or a running turn on this node, each with the tail of its log, so that a live reader costs
no query.

A tail holds committed events without gaps; a reader that is behind the tail reads the store.
"""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from wakeful.engine.words.hearer import WordsHearer
from wakeful.engine.words.words import LiveWords, Words
from wakeful.model.event import TURN_STARTED, Event
from wakeful.store.base import Signal, Store

_TAIL = 256


@dataclass(slots=True)
class Followed:
    """A session with readers or with a running turn. Every event in `tail` directly follows the one before it."""

    is_running: bool = False
    tail: deque[Event] = field(default_factory=lambda: deque(maxlen=_TAIL))
    # One event per reader, set when there are new facts; word_readers also get words.
    readers: set[asyncio.Event] = field(default_factory=set)
    word_readers: set[asyncio.Event] = field(default_factory=set)
    # The number of the event that ended the newest words, and these words.
    ended: tuple[int, Words] | None = None

    @property
    def is_idle(self) -> bool:
        return not self.readers and not self.is_running

    def add(self, event: Event) -> None:
        newest = self.tail[-1].session_seq if self.tail else None
        if newest is not None and event.session_seq <= newest:
            return  # Two commits were announced out of order. The store has both.
        if newest is not None and event.session_seq > newest + 1:
            self.tail.clear()
        self.tail.append(event)

    def wake(self) -> None:
        for changed in self.readers:
            changed.set()

    def after(self, number: int) -> list[Event] | None:
        """Return the session's events above a number if the tail has all of them, else None."""
        tail = self.tail
        if tail and number == tail[-1].session_seq:
            return []  # The fast path, taken for every word.
        if not tail or not tail[0].session_seq - 1 <= number <= tail[-1].session_seq:
            return None
        return [event for event in tail if event.session_seq > number]

    def after_turn_event(self, turn_id: str, number: int) -> list[Event] | None:
        """Return the session's events from the turn's next event on, if the tail has that event, else None."""
        for index, event in enumerate(self.tail):
            if event.turn_id == turn_id and event.turn_seq == number + 1:
                return list(islice(self.tail, index, None))
        return None


class FollowedSessions:
    def __init__(self, store: Store, words: LiveWords, hearer: WordsHearer) -> None:
        self._words = words
        self._hearer = hearer
        self._sessions: dict[str, Followed] = {}
        store.notifier.listen(self._hear)
        store.notifier.watch(self._sessions.keys)
        words.listen(self._hear_words)
        hearer.listen(self._hear_words)

    def all(self) -> list[Followed]:
        return list(self._sessions.values())

    @contextmanager
    def subscribed(self, session_id: str, with_words: bool) -> Iterator[tuple[Followed, asyncio.Event]]:
        """Register a reader. Do this before the first read, so that no commit after that read is missed."""
        followed = self._sessions.setdefault(session_id, Followed())
        changed = asyncio.Event()
        followed.readers.add(changed)
        if with_words:
            followed.word_readers.add(changed)
            self._hearer.want(session_id)
        try:
            yield followed, changed
        finally:
            followed.readers.discard(changed)
            if with_words:
                followed.word_readers.discard(changed)
                self._hearer.leave(session_id)
            self._let_go(session_id, followed)

    def _hear(self, signal: Signal) -> None:
        with_events = {event.session_id for event in signal.events}
        for event in signal.events:
            self._keep(event)
        touched = self._sessions if signal.is_everything else signal.sessions & self._sessions.keys()
        for session_id in list(touched):
            followed = self._sessions[session_id]
            if session_id not in with_events:
                self._lose_track(session_id, followed)
            followed.wake()

    def _hear_words(self, session_id: str) -> None:
        followed = self._sessions.get(session_id)
        if followed is not None:
            for changed in followed.word_readers:
                changed.set()

    def _keep(self, event: Event) -> None:
        words = self._forget_words(event)
        if event.kind == TURN_STARTED:
            self._sessions.setdefault(event.session_id, Followed()).is_running = True
        followed = self._sessions.get(event.session_id)
        if followed is None:
            return
        followed.add(event)
        if words is not None:
            followed.ended = (event.session_seq, words)
        if event.is_final:
            followed.is_running = False
            self._let_go(event.session_id, followed)

    def _forget_words(self, event: Event) -> Words | None:
        """Forget the words that are over with this event of their turn; return them if the event names them."""
        words = self._words.of(event.session_id)
        if words is None or words.head.turn_id != event.turn_id or words.turn_base >= (event.turn_seq or 0):
            return None
        self._words.forget(event.session_id, words.head.turn_id)
        return words if event.ends is not None and words.head.base == event.ends.base else None

    def _lose_track(self, session_id: str, followed: Followed) -> None:
        """Clear the tail after another node's commit, whose events are not in the signal."""
        followed.tail.clear()
        followed.is_running = False
        self._let_go(session_id, followed)

    def _let_go(self, session_id: str, followed: Followed) -> None:
        if followed.is_idle and self._sessions.get(session_id) is followed:
            del self._sessions[session_id]
