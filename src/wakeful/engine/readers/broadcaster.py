"""Streams facts and words to readers: first the stored ones, then new ones as they come."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from wakeful.engine.readers.followed import FollowedSessions
from wakeful.engine.readers.reader import SLICE, Reader
from wakeful.engine.words.hearer import WordsHearer
from wakeful.engine.words.words import LiveWords, Words
from wakeful.model.event import Event, StreamItem
from wakeful.model.words import Position
from wakeful.store.base import Store, Transaction

_PAGE = 500


class Broadcaster:
    def __init__(self, store: Store, words: LiveWords, hearer: WordsHearer) -> None:
        self._store = store
        self._words = words
        self._hearer = hearer
        self._followed = FollowedSessions(store, words, hearer)
        self._is_closed = False

    def close(self) -> None:
        """End every subscription. Clients reconnect to the next node with their cursor."""
        self._is_closed = True
        for followed in self._followed.all():
            followed.wake()

    def follow_session(
        self, session_id: str, start: Position, *, with_words: bool = True, starts_over: bool = True
    ) -> AsyncGenerator[list[StreamItem], None]:
        """Yield pages of what happens in a session after `start`: see Engine.subscribe."""
        return self._follow(
            session_id, Reader(self._store, start.fact, start.base, start.word, with_words, starts_over)
        )

    def follow_turn(
        self, session_id: str, turn_id: str, after: int, word: int = 0, *, starts_over: bool = True
    ) -> AsyncGenerator[list[StreamItem], None]:
        """Yield pages of one turn after its own event `after` and `word` words: see Engine.subscribe_turn."""
        return self._follow(
            session_id, Reader(self._store, after, after, word, starts_over=starts_over, of_turn=turn_id)
        )

    async def stream_so_far(self, session_id: str, turn_id: str) -> list[StreamItem]:
        """Return everything that the turn has emitted up to now, words included."""
        items: list[StreamItem] = []
        async with (
            self._hearer.heard(session_id),
            aclosing(self.follow_turn(session_id, turn_id, 0, starts_over=False)) as pages,
        ):
            async for page in pages:
                if not page:
                    break
                items += page
        return items

    async def live_words(self, session_id: str) -> Words | None:
        """Return the words of the answer in progress, here or on another node."""
        if self._words.of(session_id) is not None:
            return self._shown(session_id)
        async with self._hearer.heard(session_id) as words:
            return words

    async def _follow(self, session_id: str, reader: Reader) -> AsyncGenerator[list[StreamItem], None]:
        is_new = True
        with self._followed.subscribed(session_id, reader.with_words) as (followed, changed):
            while not self._is_closed:
                changed.clear()
                facts = reader.facts_in(followed)
                if facts is None:
                    facts = await self._read(session_id, reader)
                    if facts is None:
                        return
                if facts:
                    async for page in reader.pages(facts, followed):
                        yield page
                    if reader.of_turn is not None and facts[-1].is_final:
                        return
                    continue
                page = reader.new_words(self._shown(session_id))
                is_latest = len(page) < SLICE
                if page:
                    yield page
                # The next page may be hours away: a waiting reader must not keep this one in memory.
                del page, facts
                if is_latest:
                    if is_new:
                        is_new = False
                        yield []
                    await changed.wait()

    async def _read(self, session_id: str, reader: Reader) -> list[Event] | None:
        """Read the facts after the reader's last one from the store; None if no more will come, because its turn has
        ended or its session is gone.
        """
        if reader.of_turn is None:
            return await self._read_session(session_id, reader.fact)
        facts, reader.looked_at, has_ended = await self._read_turn(session_id, reader.of_turn, reader.fact)
        return None if has_ended and not facts else facts

    def _shown(self, session_id: str) -> Words | None:
        """Return the words to show, of this node or of another one; none of this node's while it lacks a lease."""
        words = self._words.of(session_id)
        if words is None:
            return self._hearer.of(session_id)
        return words if self._words.may_show() else None

    async def _read_session(self, session_id: str, after: int) -> list[Event] | None:
        async def body(tx: Transaction) -> list[Event] | None:
            page = await tx.events.of_session(session_id, after, _PAGE)
            return None if not page and await _is_gone(tx, session_id) else page

        return await self._store.read(body)

    async def _read_turn(self, session_id: str, turn_id: str, after: int) -> tuple[list[Event], int, bool]:
        """Return a page of a turn's events, the number of the last event of the session up to which it is complete, and
        whether the turn has ended.
        """

        async def body(tx: Transaction) -> tuple[list[Event], int, bool]:
            page = await tx.events.of_turn(turn_id, after, _PAGE)
            if len(page) == _PAGE:
                return page, page[-1].session_seq, False
            session = await tx.sessions.get(session_id)
            return page, 0 if session is None else session.last_seq, await _has_ended(tx, session_id, turn_id)

        return await self._store.read(body)


async def _is_gone(tx: Transaction, session_id: str) -> bool:
    """Return whether the session was purged, or is due to be and cannot be restored any more."""
    session = await tx.sessions.get(session_id)
    return session is None or (session.purge_at is not None and session.purge_at <= await tx.now())


async def _has_ended(tx: Transaction, session_id: str, turn_id: str) -> bool:
    turn = await tx.turns.get(turn_id)
    if turn is not None:
        return turn.status.is_final
    # A turn id that was given out and never opened has at most one event, its end.
    return bool(await tx.events.of_turn(turn_id, 0, 1)) or await _is_gone(tx, session_id)
