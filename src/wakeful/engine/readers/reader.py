"""A reader of a session or of one turn: a position in its facts and words, without a buffer.

A reader gets a fact before the words that follow it. Words that have ended are read in slices from where they are kept;
words of an answer in progress are read from the one buffer of their step.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from wakeful.engine.readers.followed import Followed
from wakeful.engine.words.words import Words
from wakeful.model.event import REASONING, STEP_ABANDONED, TOKEN, TURN_STARTED, Event, StreamItem
from wakeful.model.packed_json import pack
from wakeful.model.words import Word, WordsEnd
from wakeful.store.base import Store, Transaction

# The most words in a page: a slow reader holds no more of an answer in memory.
SLICE = 256


async def ended_words(tx: Transaction, fact: Event, after: int, limit: int) -> Sequence[Word]:
    """Return at most `limit` of the words that end with this fact, after the first `after`."""
    assert fact.ends is not None
    if fact.ends.said is not None:
        return fact.ends.said.words(fact.words_head, after, limit)
    return await tx.journal.words(fact.words_head, after, limit)


@dataclass(slots=True)
class Reader:
    store: Store
    # The last fact that it has read, and the number of words since the fact `base`. Facts are numbered in the session's
    # log for a reader of a session, in the turn's log for a reader of a turn. A base of 0 means none.
    fact: int
    base: int
    word: int
    with_words: bool = True
    # If it has seen words that were not kept: take them back and send the kept ones.
    starts_over: bool = True
    # The turn that it reads; None for the whole session.
    of_turn: str | None = None
    # For a reader of a turn: the session's events up to this number were looked at; None while that is not known.
    looked_at: int | None = None
    # The turn of the last fact that it has read and that belongs to a turn.
    _turn_id: str | None = None
    # For a reader of a session: words with this base, or a lower one, have ended.
    _over: int = 0
    # How many words it has read as events, as older versions wrote them, since the last other fact.
    _written: int = 0

    def facts_in(self, followed: Followed) -> list[Event] | None:
        """Return the facts after its last one if the tail of the log has them; None if only the store does."""
        if self.of_turn is None:
            return followed.after(self.fact)
        if self.looked_at is None:
            tail = followed.after_turn_event(self.of_turn, self.fact)
        else:
            tail = followed.after(self.looked_at)
        if not tail:
            return tail
        self.looked_at = tail[-1].session_seq
        return [event for event in tail if event.turn_id == self.of_turn and (event.turn_seq or 0) > self.fact]

    async def pages(self, facts: Sequence[Event], followed: Followed) -> AsyncGenerator[list[StreamItem], None]:
        """Yield the facts, one at least, in pages, each fact after the words that end with it."""
        page: list[StreamItem] = []
        for fact in facts:
            if self.with_words and fact.ends is not None:
                async for words in self._ended(fact, fact.ends, followed):
                    if page:
                        yield page
                        page = []
                    yield words
            page.append(fact)
            self._pass_by(fact)
        yield page

    def new_words(self, words: Words | None) -> list[StreamItem]:
        """Return a page of the answer in progress, if the reader has the fact that its words follow."""
        if words is None or not self.with_words or not self._is_at(words):
            return []
        base = words.head.base if self.of_turn is None else self.fact
        if self.base != base:
            self.base, self.word = base, 0
        page: list[StreamItem] = [*words.after(self.word, SLICE)]
        self.word += len(page)
        return page

    def _is_at(self, words: Words) -> bool:
        """Return whether the reader has the fact that the words follow, and not yet the one that ends them."""
        if self.of_turn is not None:
            return (words.head.turn_id, words.turn_base) == (self.of_turn, self.fact)
        return self._over < words.head.base <= self.fact

    def _pass_by(self, fact: Event) -> None:
        self.fact = fact.session_seq if self.of_turn is None else fact.turn_seq or 0
        if fact.ends is not None:
            self._over = max(self._over, fact.ends.base)
        elif fact.kind == TURN_STARTED:
            # Words of the turn before it have ended, too.
            self._over = fact.session_seq - 1
        if fact.kind in (TOKEN, REASONING):
            self._written += 1
        elif fact.turn_id == self._turn_id:
            self._written = 0
        if fact.turn_id is not None:
            self._turn_id = fact.turn_id

    async def _ended(self, fact: Event, ends: WordsEnd, followed: Followed) -> AsyncGenerator[list[StreamItem], None]:
        """Yield the words that end with this fact and that the reader has not seen."""
        seen = self.word if self.base == (ends.base if self.of_turn is None else self.fact) else 0
        was_at_moved_words = self._was_at_moved_words(fact, ends)
        if was_at_moved_words and not self.starts_over:
            # The words were moved while it read them as events.
            seen = self._written
        elif was_at_moved_words or seen > ends.count:
            if fact.kind == STEP_ABANDONED or not self.starts_over:
                return
            # It has seen words that were not kept: take them back and send the kept ones.
            seen = 0
            yield [_taken_back(fact, ends)]
        while seen < ends.count:
            words = await self._slice(fact, seen, followed)
            if not words:
                return
            seen += len(words)
            yield list(words)

    async def _slice(self, fact: Event, after: int, followed: Followed) -> Sequence[Word]:
        if followed.ended is not None and followed.ended[0] == fact.session_seq:
            return followed.ended[1].after(after, SLICE)
        return await self.store.read(lambda tx: ended_words(tx, fact, after, SLICE))

    def _was_at_moved_words(self, fact: Event, ends: WordsEnd) -> bool:
        """Return whether the last fact it has read was one of these words, when each was still an event."""
        if ends.old is None:
            return False
        if self.of_turn is not None:
            # Their numbers were those right before the fact that ends them.
            return self.fact >= (fact.turn_seq or 0) - ends.count
        first, last = ends.old
        return first <= self.fact <= last


def _taken_back(fact: Event, ends: WordsEnd) -> Event:
    """Return an event that is in no log, for a reader that has seen more words than were kept."""
    data = pack({"step": ends.step})
    return Event(fact.session_id, fact.session_seq - 1, fact.turn_id, None, STEP_ABANDONED, data, fact.at)
