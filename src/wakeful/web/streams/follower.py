"""Follows one session across its turns: a greeting, then facts and words after a cursor."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from wakeful.engine.approvals.approval_data import approval_data
from wakeful.engine.engine import Engine
from wakeful.model import event as events
from wakeful.model.approvals.approval import Approval
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.model.words import Word
from wakeful.store.base import Transaction
from wakeful.web.cursor import Cursor
from wakeful.web.sessions.snapshot import active_fields
from wakeful.web.streams.frames import SERVER_TURN_STARTED, Frame, lines_of, started_data
from wakeful.web.streams.had_words import HadWords
from wakeful.web.streams.live_html import LiveHtml
from wakeful.web.streams.pauses import with_pauses
from wakeful.web.streams.reading import Reading
from wakeful.web.streams.word_frames import runs_of

# Batches of frames to write together; a batch may be empty.
Frames = AsyncGenerator[list[Frame], None]


@dataclass(frozen=True, slots=True)
class SessionState:
    """What a new reader of a session has to know."""

    session: Session
    active: Turn | None
    # The first event of the active turn.
    active_seq: int
    approvals: list[Approval]

    def first_cursor(self, *, inline: bool) -> Cursor:
        """Return the cursor of a reader that sent none."""
        if inline and self.active_seq:
            return Cursor(self.active_seq - 1)
        return Cursor(self.session.last_seq)


async def read_state(tx: Transaction, session: Session) -> SessionState:
    active = None if session.active is None else await tx.turns.get(session.active)
    first = [] if active is None else await tx.events.of_turn(active.id, 0, 1)
    approvals = await tx.approvals.open_of(session.id, await tx.now())
    return SessionState(session, active, first[0].session_seq if first else 0, approvals)


async def follow_session(engine: Engine, state: SessionState, cursor: Cursor, *, inline: bool) -> Frames:
    yield list(_greeting(state, cursor))
    reading = Reading(cursor, inline=inline)
    # Without `with_words` the reader is not woken for words.
    log = engine.subscribe(state.session.id, cursor.in_engine, with_words=inline)
    async with aclosing(log) as pages:
        async for page in pages:
            if not page:
                continue
            for item in runs_of(page):
                yield reading.words(item) if isinstance(item, list) else reading.fact(item)
            # The next page may be hours away: free this one.
            del page, item


async def follow_with_html(engine: Engine, state: SessionState, cursor: Cursor) -> Frames:
    """Follow with the turns inline and their answers as HTML.

    HTML needs all words of a step, so the words that the reader has had are read again, but not sent again.
    """
    yield list(_greeting(state, cursor))
    screen = _Screen(state.session.id, cursor)
    log = engine.subscribe(state.session.id, replace(cursor.in_engine, word=0))
    async with aclosing(with_pauses(log, screen.patience)) as pages:
        async for page in pages:
            if not page:
                yield await screen.pause()
                continue
            for item in runs_of(page):
                yield await (screen.words(item) if isinstance(item, list) else screen.fact(item))
            del page, item


class _Screen:
    """Frames for a reader of answers as HTML."""

    def __init__(self, session_id: str, cursor: Cursor) -> None:
        self._live = LiveHtml(session_id)
        self._had = HadWords(cursor)
        self._reading = Reading(cursor, inline=True)
        self.patience = self._live.patience

    async def pause(self) -> list[Frame]:
        """Return the HTML that is due while nothing new comes."""
        return self._html(await self._live.now())

    async def words(self, words: list[Word]) -> list[Frame]:
        html = self._html(await self._live.words(words))
        new = self._had.new_of(words)
        return html + (self._reading.words(new) if new else [])

    async def fact(self, event: Event) -> list[Frame]:
        again = await self._again(event)
        html = self._html(await self._live.fact(event))
        return again + html + self._reading.fact(event)

    async def _again(self, event: Event) -> list[Frame]:
        """Return what to send before a fact that ends fewer words than the reader has had."""
        left = self._had.left_by(event)
        if left is None or event.ends is None:
            return []
        taken_back = self._reading.take_back(event, event.ends.step)
        self._live.drop()
        return [taken_back, *(await self.words(left) if left else ())]

    def _html(self, lines: list[bytes]) -> list[Frame]:
        """Make frames with the cursor of the frame before them: a reader that resumes there gets the HTML again."""
        at = self._reading.at
        return [(at, one) for one in lines]


def _greeting(state: SessionState, cursor: Cursor) -> Iterator[Frame]:
    """Yield the session's state, and the events that are still open: the active turn and the unanswered questions."""
    session, active, at = state.session, state.active, str(cursor)
    initial: dict[str, Any] = {
        "session_id": session.id,
        "last_event_id": session.last_seq,
        "active": None if active is None else active_fields(active),
    }
    yield at, lines_of("initial", pack(initial))
    if active is not None:
        yield at, lines_of(SERVER_TURN_STARTED, started_data(session.id, active.id, active.source, recovered=True))
    for approval in state.approvals:
        data = approval_data(approval, session.id) | {"recovered": True}
        yield at, lines_of(events.APPROVAL_REQUIRED, pack(data))
