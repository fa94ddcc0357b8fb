"""Reads the words of other nodes' answers for the sessions that have readers here.

These words are only shown. The transaction that ends an answer decides what is kept, from what the store has of it.
"""

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.words.words import LiveWords, Words
from wakeful.model.words import WordsPart
from wakeful.store.base import Signal, Store

# How often all followed sessions are read, in case a notification was lost.
_PERIOD_SECONDS = 1.0


class WordsHearer:
    def __init__(self, store: Store, own: LiveWords, clock: Clock) -> None:
        self._shared = store.words
        self._own = own
        # By session: its number of readers here, and the words read so far; then the sessions that may have more words.
        self._wanted: dict[str, int] = {}
        self._words: dict[str, Words] = {}
        self._fresh: set[str] = set()
        self._listeners: list[Callable[[str], None]] = []
        self.job = Job("words hearer", self.sweep, clock, first_wait=None, longest_pause=_PERIOD_SECONDS)
        store.notifier.listen(self._hear)

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the session's id whenever it has more words."""
        self._listeners.append(listener)

    def want(self, session_id: str) -> None:
        """Count a new reader of the session, and read its words soon."""
        self._wanted[session_id] = self._wanted.get(session_id, 0) + 1
        self._note_fresh({session_id})

    def leave(self, session_id: str) -> None:
        self._wanted[session_id] -= 1
        if not self._wanted[session_id]:
            del self._wanted[session_id]
            self._words.pop(session_id, None)

    def of(self, session_id: str) -> Words | None:
        return self._words.get(session_id)

    async def sweep(self) -> float | None:
        fresh, self._fresh = self._fresh & self._wanted.keys(), set()
        # If no session was announced, read all of them: a notification may have been lost.
        elsewhere = [session_id for session_id in fresh or self._wanted if self._own.of(session_id) is None]
        await self.refresh(elsewhere)
        return _PERIOD_SECONDS if self._wanted else None

    async def refresh(self, session_ids: Collection[str]) -> None:
        """Read the words that these sessions have now."""
        if self._shared is None or not session_ids:
            return
        known = {session_id: self._position_in(session_id) for session_id in session_ids}
        for part in await self._shared.read(known):
            self._add(part)

    @asynccontextmanager
    async def heard(self, session_id: str) -> AsyncIterator[Words | None]:
        """Yield the words that a session has now, to a reader that does not follow it."""
        self.want(session_id)
        try:
            await self.refresh([session_id])
            yield self.of(session_id)
        finally:
            self.leave(session_id)

    def _position_in(self, session_id: str) -> tuple[int, int]:
        words = self._words.get(session_id)
        return (0, 0) if words is None else (words.head.base, words.count)

    def _add(self, part: WordsPart) -> None:
        """Add a part. Parts arrive in order, some of them twice. One after a gap, or of older words, is dropped."""
        session_id = part.head.session_id
        words = self._words.get(session_id)
        if words is None or words.head.base < part.head.base:
            words = Words(part.head, part.turn_base)
        known = words.count - part.first + 1
        if words.head != part.head or known < 0 or session_id not in self._wanted:
            return
        self._words[session_id] = words
        for word in part.said.words(part.head, known):
            words.add(word.kind, word.text)
        for listener in self._listeners:
            listener(session_id)

    def _hear(self, signal: Signal) -> None:
        """Drop the words of a session after each commit, which may have ended them, and read them anew."""
        in_doubt = set(self._words if signal.is_everything else signal.sessions & self._words.keys())
        for session_id in in_doubt:
            del self._words[session_id]
        self._note_fresh(in_doubt | (signal.spoken & self._wanted.keys()))

    def _note_fresh(self, session_ids: Collection[str]) -> None:
        if self._shared is not None and session_ids:
            self._fresh |= set(session_ids)
            self.job.wake()
