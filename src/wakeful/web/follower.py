"""A reader of one session, across its turns: what it is told first, and then the log from its cursor on."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from wakeful.engine.approval_data import approval_data
from wakeful.engine.engine import Engine
from wakeful.model import event as events
from wakeful.model.approval import Approval
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction
from wakeful.web.cursor import Cursor
from wakeful.web.frames import SERVER_TURN_STARTED, session_frames, started_data
from wakeful.web.live_html import ANSWER_HTML, LiveHtml
from wakeful.web.pauses import with_pauses
from wakeful.web.snapshot import active_form

# What a session's reader gets: where it then stands, the event's name, its data.
Step = tuple[Cursor, str, bytes]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a session stands when somebody begins to follow it."""

    session: Session
    active: Turn | None
    # The first event of the active turn.
    active_seq: int
    approvals: list[Approval]

    def first_cursor(self, *, inline: bool) -> Cursor:
        """Where a reader without a cursor begins."""
        if inline and self.active_seq:
            return Cursor(self.active_seq - 1)
        return Cursor(self.session.last_seq)


async def read_standing(tx: Transaction, session: Session) -> Standing:
    active = None if session.active is None else await tx.turns.get(session.active)
    first = [] if active is None else await tx.events.of_turn(active.id, 0, 1)
    approvals = await tx.approvals.open_of(session.id, await tx.now())
    return Standing(session, active, first[0].session_seq if first else 0, approvals)


async def follow(engine: Engine, standing: Standing, cursor: Cursor, *, inline: bool) -> AsyncGenerator[Step, None]:
    for name, data in _greeting(standing):
        yield cursor, name, data
    seen = cursor.frames
    async with aclosing(engine.subscribe(standing.session.id, cursor.after)) as log:
        async for event in log:
            for position, name, data in _steps_of(event, seen, inline=inline):
                yield position, name, data
            seen = 0


async def follow_with_html(
    engine: Engine, standing: Standing, cursor: Cursor, told: Sequence[Event]
) -> AsyncGenerator[Step, None]:
    """The same with the turns inline and their answers as HTML. `told`: what the reader has of the open step. HTML has
    the cursor of the frame before it, so that an event that changes it comes again with it.
    """
    for name, data in _greeting(standing):
        yield cursor, name, data
    live = LiveHtml(standing.session.id, standing.session.last_seq, told)
    for html in await live.first():
        yield cursor, ANSWER_HTML, html
    seen, position = cursor.frames, cursor
    log = with_pauses(engine.subscribe(standing.session.id, cursor.after), live.patience)
    async with aclosing(log):
        async for event in log:
            for html in await (live.now() if event is None else live.before(event)):
                yield position, ANSWER_HTML, html
            if event is not None:
                for position, name, data in _steps_of(event, seen, inline=True):
                    yield position, name, data
                seen = 0


def _steps_of(event: Event, seen: int, *, inline: bool) -> Iterator[Step]:
    for frames, name, data in session_frames(event, seen, inline=inline):
        yield Cursor(event.session_seq - 1, frames) if frames else Cursor(event.session_seq), name, data


def _greeting(standing: Standing) -> Iterator[tuple[str, bytes]]:
    """Where the session stands, and what was said to others before this reader came."""
    session, active = standing.session, standing.active
    initial: dict[str, Any] = {
        "session_id": session.id,
        "last_event_id": session.last_seq,
        "active": None if active is None else active_form(active),
    }
    yield "initial", pack(initial)
    if active is not None:
        yield SERVER_TURN_STARTED, started_data(session.id, active.id, active.source, recovered=True)
    for approval in standing.approvals:
        data = approval_data(approval, session.id) | {"recovered": True}
        yield events.APPROVAL_REQUIRED, pack(data)
