"""The words of answers in progress, in one buffer in memory however many readers there are.

A reader is a position in that buffer. Words end in a fact (see model/words.py) and are forgotten with it. A write that
may close a turn seals its session first: no more words are shown until the write's outcome is known.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from wakeful.engine.ports import Clock
from wakeful.model.words import Said, Word, WordsEnd, WordsHead


class Words:
    """The words of one step."""

    __slots__ = ("_pieces", "head", "size", "turn_base")

    def __init__(self, head: WordsHead, turn_base: int) -> None:
        self.head = head
        # The number of their base in the turn's log.
        self.turn_base = turn_base
        # In characters.
        self.size = 0
        self._pieces: list[Word] = []

    @property
    def count(self) -> int:
        return len(self._pieces)

    def add(self, kind: str, text: str) -> None:
        self._pieces.append(Word(self.head, len(self._pieces) + 1, kind, text))
        self.size += len(text)

    def after(self, number: int, limit: int) -> list[Word]:
        return self._pieces[number : number + limit]

    def said(self) -> Said:
        return Said.of(self._pieces)

    def end(self, said: Said | None = None) -> WordsEnd:
        """Return what the event that ends the words records of them; `said` has the words if no journal entry does."""
        return WordsEnd(self.head.step, self.head.base, self.count, said=said)


@dataclass(slots=True)
class _Seal:
    # How many writes under way may close the session's turn.
    count: int = 0
    lifted: asyncio.Event = field(default_factory=asyncio.Event)


class LiveWords:
    """The words of all sessions that this node answers; a session has one answer in progress at most."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # Until this time, no other node can have taken over this node's turns.
        self._shown_until = 0.0
        self._words: dict[str, Words] = {}
        self._seals: dict[str, _Seal] = {}
        self._listeners: list[Callable[[str], None]] = []

    def show_until(self, moment: float) -> None:
        """Show words until this time, when the renewed lease ends. Words that were held back are shown now."""
        was_held_back = not self.may_show()
        self._shown_until = moment
        if was_held_back:
            for session_id in self._words:
                self._notify(session_id)

    def may_show(self) -> bool:
        """Return whether this node's lease still holds, so that no other node can show different words."""
        return self._clock.monotonic() < self._shown_until

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the session's id whenever it has more words."""
        self._listeners.append(listener)

    def begin(self, head: WordsHead, turn_base: int) -> Words:
        words = self._words[head.session_id] = Words(head, turn_base)
        return words

    def add(self, words: Words, kind: str, text: str) -> None:
        words.add(kind, text)
        self._notify(words.head.session_id)

    def of(self, session_id: str) -> Words | None:
        return self._words.get(session_id)

    def of_turn(self, session_id: str, turn_id: str, turn_base: int) -> Words | None:
        """Return the words that follow this fact of this turn, if there are any."""
        words = self._words.get(session_id)
        if words is None or (words.head.turn_id, words.turn_base) != (turn_id, turn_base) or not words.count:
            return None
        return words

    def forget(self, session_id: str, turn_id: str) -> None:
        """Drop the turn's words: they have ended in a fact, or the turn is another node's now."""
        words = self._words.get(session_id)
        if words is not None and words.head.turn_id == turn_id:
            del self._words[session_id]

    @contextmanager
    def sealed(self, session_ids: Collection[str]) -> Iterator[None]:
        """Hold back new words of these sessions until the context exits."""
        for session_id in session_ids:
            self._seals.setdefault(session_id, _Seal()).count += 1
        try:
            yield
        finally:
            for session_id in session_ids:
                self._lift(session_id)

    async def unsealed(self, session_id: str) -> None:
        """Wait while a write is under way that may close the session's turn."""
        while (seal := self._seals.get(session_id)) is not None:
            await seal.lifted.wait()

    def _notify(self, session_id: str) -> None:
        for listener in self._listeners:
            listener(session_id)

    def _lift(self, session_id: str) -> None:
        seal = self._seals[session_id]
        seal.count -= 1
        if seal.count == 0:
            del self._seals[session_id]
            seal.lifted.set()
