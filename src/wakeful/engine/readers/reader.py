"""A reader of a session or of one turn: a place in its facts and words, never a buffer.

Facts first: a reader gets the words that follow a fact after the fact itself. Words that have ended are read where they
are kept, in slices; those that have not are read in the one buffer of their step.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from wakeful.engine.readers.followed import Followed
from wakeful.engine.words.words import Words
from wakeful.model.event import REASONING, STEP_ABANDONED, TOKEN, TURN_STARTED, Event, StreamItem
from wakeful.model.packed_json import pack
from wakeful.model.words import Word, WordsEnd
from wakeful.store.base import Store, Transaction

# So many words at once: a slow reader holds no more of an answer than this.
SLICE = 256


async def ended_words(tx: Transaction, fact: Event, after: int, limit: int) -> Sequence[Word]:
    """Of the words that end with this fact: the pieces after the first `after`, at most so many."""
    assert fact.ends is not None
    if fact.ends.said is not None:
        return fact.ends.said.words(fact.words_head, after, limit)
    return await tx.journal.words(fact.words_head, after, limit)


@dataclass(slots=True)
class Reader:
    store: Store
    # The last fact that it has read, and how many words since `base`. For a reader of a session these are numbers of
    # the session's log, for one of a turn the turn's own. A base of 0 means none.
    fact: int
    base: int
    word: int
    with_words: bool = True
    # When it has seen words that are not kept, they are taken back and it gets those that are.
    starts_over: bool = True
    # The one turn that it reads; None: all of the session.
    of_turn: str | None = None
    # For a reader of a turn: every event of the session up to this number was looked at; None while that is not known.
    looked_at: int | None = None
    # The turn of the last fact of one that it has read.
    _turn_id: str | None = None
    # For a reader of a session: words with this base or an older one have ended, as far as it has read.
    _over: int = 0
    # So many words since the last other fact it has read as events, as older versions wrote them.
    _written: int = 0

    def facts_in(self, followed: Followed) -> list[Event] | None:
        """What follows the last fact that it has, if the tail of the log knows; None when only the store does."""
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

    async def tell(self, facts: Sequence[Event], followed: Followed) -> AsyncGenerator[list[StreamItem], None]:
        """The facts, each after the words that end with it."""
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
        if page:
            yield page

    def new_words(self, words: Words | None) -> list[StreamItem]:
        """Of the step that is being answered, once the reader has the fact that they follow."""
        if words is None or not self.with_words or not self._is_at(words):
            return []
        base = words.head.base if self.of_turn is None else self.fact
        if self.base != base:
            self.base, self.word = base, 0
        page: list[StreamItem] = [*words.after(self.word, SLICE)]
        self.word += len(page)
        return page

    def _is_at(self, words: Words) -> bool:
        """Whether it has the fact that they follow, and does not know how they have ended."""
        if self.of_turn is not None:
            return (words.head.turn_id, words.turn_base) == (self.of_turn, self.fact)
        return self._over < words.head.base <= self.fact

    def _pass_by(self, fact: Event) -> None:
        self.fact = fact.session_seq if self.of_turn is None else fact.turn_seq or 0
        if fact.ends is not None:
            self._over = max(self._over, fact.ends.base)
        elif fact.kind == TURN_STARTED:
            # With the turn before it.
            self._over = fact.session_seq - 1
        if fact.kind in (TOKEN, REASONING):
            self._written += 1
        elif fact.turn_id == self._turn_id:
            self._written = 0
        if fact.turn_id is not None:
            self._turn_id = fact.turn_id

    async def _ended(self, fact: Event, ends: WordsEnd, followed: Followed) -> AsyncGenerator[list[StreamItem], None]:
        """What the reader has not seen of the words that end with this fact."""
        seen = self.word if self.base == (ends.base if self.of_turn is None else self.fact) else 0
        is_in_hole = self._is_in_hole(fact, ends)
        if is_in_hole and not self.starts_over:
            # The words were moved while it read them as events.
            seen = self._written
        elif is_in_hole or seen > ends.count:
            if fact.kind == STEP_ABANDONED or not self.starts_over:
                return
            # It has words that are not kept: they are taken back, and it gets those that are.
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

    def _is_in_hole(self, fact: Event, ends: WordsEnd) -> bool:
        """Whether it stands at one of the numbers that these words had when each was an event of its own."""
        if ends.old is None:
            return False
        if self.of_turn is not None:
            # They had the numbers right before the fact that ends them.
            return self.fact >= (fact.turn_seq or 0) - ends.count
        first, last = ends.old
        return first <= self.fact <= last


def _taken_back(fact: Event, ends: WordsEnd) -> Event:
    """An event that is in no log: for a reader who has more words than are kept, before it gets those."""
    data = pack({"step": ends.step})
    return Event(fact.session_id, fact.session_seq - 1, fact.turn_id, None, STEP_ABANDONED, data, fact.at)
