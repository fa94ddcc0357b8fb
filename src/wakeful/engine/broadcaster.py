"""Facts and words to their readers: replay, then follow. A reader is a place, never a buffer.

Facts first: a reader gets the words that follow a fact after the fact itself. Words that have ended are read where they
are kept, in slices; those that have not are read in the one buffer of their step. A short tail of the log is kept in
memory of each session that runs a turn here or is followed, so that a live reader costs no query. It only ever holds
committed events without a gap; whoever is behind it reads the store.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from itertools import islice

from wakeful.engine.ended_words import ended_words
from wakeful.engine.words import LiveWords, Words
from wakeful.engine.words_hearer import WordsHearer
from wakeful.model.event import REASONING, STEP_ABANDONED, TOKEN, TURN_STARTED, Event, Told
from wakeful.model.packed_json import pack
from wakeful.model.words import Place, Word
from wakeful.store.base import Signal, Store, Transaction

_PAGE = 500
_TAIL = 256
# So many words at once: a slow reader holds no more of an answer than this.
_SLICE = 256


@dataclass(slots=True)
class _Followed:
    """A session with readers or with a running turn. Every event in `tail` directly follows the one before it."""

    is_running: bool = False
    tail: deque[Event] = field(default_factory=lambda: deque(maxlen=_TAIL))
    # Those who wait for facts, and those of them who also want words.
    readers: set[asyncio.Event] = field(default_factory=set)
    word_readers: set[asyncio.Event] = field(default_factory=set)
    # The newest words that have ended, and the number of the event that has ended them.
    ended: tuple[int, Words] | None = None

    def add(self, event: Event) -> None:
        newest = self.tail[-1].session_seq if self.tail else None
        if newest is not None and event.session_seq <= newest:
            return  # Two commits were told in another order than they happened in; the store has both.
        if newest is not None and event.session_seq > newest + 1:
            self.tail.clear()
        self.tail.append(event)

    @property
    def is_idle(self) -> bool:
        return not self.readers and not self.is_running

    def wake(self) -> None:
        for changed in self.readers:
            changed.set()


@dataclass(slots=True)
class _Reader:
    """Where one reader stands. For a reader of a session `fact` is the session's number, for one of a turn the turn's
    own; so is `base`, of which 0 means none.
    """

    fact: int
    base: int = 0
    place: int = 0
    # When it has seen words that are not kept, they are taken back and it gets those that are.
    starts_over: bool = True
    # The last fact of a turn that it has read.
    turn_id: str | None = None
    turn_seq: int = 0
    # So many words since the last other fact it has read as events, as older versions wrote them.
    written: int = 0

    def has_passed(self, words: Words) -> bool:
        """Whether it knows how these words have ended."""
        return self.turn_id == words.head.turn_id and self.turn_seq > words.turn_base

    def pass_by(self, fact: Event, number: int) -> None:
        self.fact = number
        if fact.ends is not None:
            self.base, self.place = 0, 0
        if fact.kind in (TOKEN, REASONING):
            self.written += 1
        elif fact.turn_id == self.turn_id:
            self.written = 0
        if fact.turn_id is not None:
            self.turn_id, self.turn_seq = fact.turn_id, fact.turn_seq or 0

    def take(self, words: Words, base: int) -> list[Word]:
        if self.base != base:
            self.base, self.place = base, 0
        page = words.after(self.place, _SLICE)
        self.place += len(page)
        return page


class Broadcaster:
    def __init__(self, store: Store, words: LiveWords, hearer: WordsHearer) -> None:
        self._store = store
        self._words = words
        self._hearer = hearer
        self._followed: dict[str, _Followed] = {}
        self._is_closed = False
        store.notifier.listen(self._hear)
        store.notifier.watch(self._followed.keys)
        words.listen(self._hear_words)
        hearer.listen(self._hear_words)

    def close(self) -> None:
        """End every subscription. Whoever wants more goes on from the last number, at the next node."""
        self._is_closed = True
        for followed in self._followed.values():
            followed.wake()

    async def follow_session(
        self, session_id: str, start: Place, *, with_words: bool = True, starts_over: bool = True
    ) -> AsyncGenerator[list[Told], None]:
        """What happens in a session after this place, as long as this node lives, as much at a time as there is. An
        empty page says that the reader has caught up for the first time. Without `starts_over`: a reader who has seen
        words that are not kept is told by the event's `void` alone.
        """
        reader = _Reader(start.fact, start.base, start.place, starts_over)
        is_new = True
        with self._subscribed(session_id, with_words) as (followed, changed):
            while not self._is_closed:
                changed.clear()
                facts = _after(followed.tail, reader.fact)
                if facts is None:
                    facts = await self._read_session(session_id, reader.fact)
                async for page in self._tell(followed, reader, facts, with_words):
                    yield page
                page = list(self._new_words(session_id, reader)) if with_words and not facts else []
                if page:
                    yield page
                is_latest = not facts and not page
                # It may be hours until the next one: a reader that waits holds nothing of what it has seen.
                del page, facts
                if is_latest:
                    if is_new:
                        is_new = False
                        yield []
                    await changed.wait()

    async def follow_turn(
        self, session_id: str, turn_id: str, after: int, place: int = 0, *, starts_over: bool = True
    ) -> AsyncGenerator[list[Told], None]:
        """The same of one turn, after its own event `after` and so many words, up to its end. Waits for it to open."""
        reader = _Reader(after, after, place, starts_over)
        # Every event of the session up to this number was looked at; None while that is not known.
        position: int | None = None
        is_new = True
        with self._subscribed(session_id, True) as (followed, changed):
            while not self._is_closed:
                changed.clear()
                news = _from(followed.tail, turn_id, reader.fact) if position is None else None
                if position is not None:
                    news = _after(followed.tail, position)
                if news is None:
                    facts, position, has_ended = await self._read_turn(session_id, turn_id, reader.fact)
                    if has_ended and not facts:
                        return
                else:
                    facts = [e for e in news if e.turn_id == turn_id and (e.turn_seq or 0) > reader.fact]
                    position = news[-1].session_seq if news else position
                async for page in self._tell(followed, reader, facts, with_words=True, of_turn=True):
                    yield page
                if facts and facts[-1].is_final:
                    return
                page = [] if facts else list(self._new_words_of(session_id, turn_id, reader))
                if page:
                    yield page
                is_latest = not facts and not page
                del page, facts, news
                if is_latest:
                    if is_new:
                        is_new = False
                        yield []
                    await changed.wait()

    async def told_so_far(self, session_id: str, turn_id: str) -> list[Told]:
        """All of a turn up to now, words included."""
        told: list[Told] = []
        async with (
            self._hearer.heard(session_id),
            aclosing(self.follow_turn(session_id, turn_id, 0, starts_over=False)) as pages,
        ):
            async for page in pages:
                if not page:
                    break
                told += page
        return told

    async def _tell(
        self, followed: _Followed, reader: _Reader, facts: Sequence[Event], with_words: bool, of_turn: bool = False
    ) -> AsyncGenerator[list[Told], None]:
        """The facts, each after the words that end with it."""
        page: list[Told] = []
        for fact in facts:
            if with_words and fact.ends is not None:
                async for words in self._ended_words(followed, reader, fact, of_turn):
                    if page:
                        yield page
                        page = []
                    yield words
            page.append(fact)
            number = fact.turn_seq if of_turn else fact.session_seq
            reader.pass_by(fact, number or 0)
        if page:
            yield page

    async def _ended_words(
        self, followed: _Followed, reader: _Reader, fact: Event, of_turn: bool
    ) -> AsyncGenerator[list[Told], None]:
        """What the reader has not seen of the words that end with this fact."""
        assert fact.ends is not None
        seen = reader.place if reader.base == (reader.fact if of_turn else fact.ends.base) else 0
        is_in_hole = _lies_in_hole(reader, fact, of_turn)
        if is_in_hole and not reader.starts_over:
            # The words were moved while it read them as events.
            seen = reader.written
        elif is_in_hole or seen > fact.ends.count:
            if fact.kind == STEP_ABANDONED or not reader.starts_over:
                return
            # It has words that are not kept: they are taken back, and it gets those that are.
            seen = 0
            yield [_taken_back(fact)]
        while seen < fact.ends.count:
            words = await self._slice(followed, fact, seen)
            if not words:
                return
            seen += len(words)
            yield list(words)

    async def _slice(self, followed: _Followed, fact: Event, after: int) -> Sequence[Word]:
        if followed.ended is not None and followed.ended[0] == fact.session_seq:
            return followed.ended[1].after(after, _SLICE)

        async def body(tx: Transaction) -> Sequence[Word]:
            return await ended_words(tx, fact, after, _SLICE)

        return await self._store.read(body)

    def _new_words(self, session_id: str, reader: _Reader) -> Sequence[Word]:
        """Of the step that is being answered, once the reader has the fact that they follow."""
        words = self._shown(session_id)
        if words is None or words.head.base > reader.fact or reader.has_passed(words):
            return ()
        return reader.take(words, words.head.base)

    def _new_words_of(self, session_id: str, turn_id: str, reader: _Reader) -> Sequence[Word]:
        words = self._shown(session_id)
        if words is None or (words.head.turn_id, words.turn_base) != (turn_id, reader.fact):
            return ()
        return reader.take(words, reader.fact)

    def _shown(self, session_id: str) -> Words | None:
        """What is being said in the session, here or at another node. One without its lease says nothing."""
        words = self._words.of(session_id)
        if words is None:
            return self._hearer.of(session_id)
        return words if self._words.may_show() else None

    async def live_words(self, session_id: str) -> Words | None:
        """What the step that is being answered has said so far."""
        if self._words.of(session_id) is not None:
            return self._shown(session_id)
        async with self._hearer.heard(session_id) as words:
            return words

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

    def _hear_words(self, session_id: str) -> None:
        followed = self._followed.get(session_id)
        if followed is not None:
            for changed in followed.word_readers:
                changed.set()

    def _keep(self, event: Event) -> None:
        words = self._forget_words(event)
        if event.kind == TURN_STARTED:
            self._followed.setdefault(event.session_id, _Followed()).is_running = True
        followed = self._followed.get(event.session_id)
        if followed is None:
            return
        followed.add(event)
        if words is not None:
            followed.ended = (event.session_seq, words)
        if event.is_final:
            followed.is_running = False
            self._let_go(event.session_id, followed)

    def _forget_words(self, event: Event) -> Words | None:
        """Words are over with the next fact of their turn."""
        words = None if event.turn_id is None else self._words.of(event.session_id)
        if words is None or words.head.turn_id != event.turn_id or words.turn_base >= (event.turn_seq or 0):
            return None
        self._words.forget(event.session_id, words.head.turn_id)
        return words if event.ends is not None and words.head.base == event.ends.base else None

    def _lose_track(self, session_id: str, followed: _Followed) -> None:
        """Another node's commit: the tail does not know what came, and must not say that nothing did."""
        followed.tail.clear()
        followed.is_running = False
        self._let_go(session_id, followed)

    def _let_go(self, session_id: str, followed: _Followed) -> None:
        if followed.is_idle and self._followed.get(session_id) is followed:
            del self._followed[session_id]

    @contextmanager
    def _subscribed(self, session_id: str, with_words: bool) -> Iterator[tuple[_Followed, asyncio.Event]]:
        """Registered before the first read, so that nothing committed after that read goes unheard."""
        followed = self._followed.setdefault(session_id, _Followed())
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


def _lies_in_hole(reader: _Reader, fact: Event, of_turn: bool) -> bool:
    """Whether the reader stands at one of the numbers that these words had when each was an event of its own."""
    assert fact.ends is not None
    if fact.ends.old is None:
        return False
    first, last = fact.ends.old
    if of_turn:
        # They had the numbers right before the fact that ends them.
        return reader.fact >= (fact.turn_seq or 0) - fact.ends.count
    return first <= reader.fact <= last


def _taken_back(fact: Event) -> Event:
    """An event that is in no log: for a reader who has more words than are kept, before it gets those."""
    assert fact.ends is not None
    data = pack({"step": fact.ends.step})
    return Event(fact.session_id, fact.session_seq - 1, fact.turn_id, None, STEP_ABANDONED, data, fact.at)


def _from(tail: deque[Event], turn_id: str, after: int) -> list[Event] | None:
    """The session's events from the one that follows the turn's `after` on, when the tail has that one."""
    for place, event in enumerate(tail):
        if event.turn_id == turn_id and event.turn_seq == after + 1:
            return list(islice(tail, place, None))
    return None


def _after(tail: deque[Event], number: int) -> list[Event] | None:
    """The session's events above a number, when the tail knows them all; None when only the store does."""
    if tail and number == tail[-1].session_seq:
        return []  # So it is with every word.
    if not tail or not tail[0].session_seq - 1 <= number <= tail[-1].session_seq:
        return None
    return [event for event in tail if event.session_seq > number]
