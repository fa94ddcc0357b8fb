"""A message comes in: what it does to its session, idle or busy, in one transaction."""

from dataclasses import dataclass
from typing import Any

import orjson

from wakeful.engine.assignment import Assignment
from wakeful.engine.dispatcher import MESSAGE_PREFIX, Dispatcher, require_session
from wakeful.engine.submission import Receipt, Submission
from wakeful.engine.title import title_from
from wakeful.errors import SessionBusy, SessionNotFound
from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.ids import new_id
from wakeful.model.inbox import IfBusy, InboxRow, RowKind, RowStatus
from wakeful.model.session import Session, TitleOrigin
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Transaction

_INTERRUPTED = Outcome(TurnStatus.CANCELLED, "interrupted", "A newer message took its place.")


@dataclass(frozen=True, slots=True)
class Intake:
    dispatcher: Dispatcher

    async def accept(self, tx: Transaction, submission: Submission) -> tuple[Receipt, Assignment | None]:
        session = await require_session(tx, submission.session_id)
        if session.is_deleted:
            raise SessionNotFound(f"There is no session {session.id}.")
        row = _row_of(submission, await tx.now())
        if not await tx.inbox.post_if_new(row):
            return await self._known(tx, row), None
        if session.active is not None and submission.if_busy is IfBusy.REJECT:
            raise SessionBusy(session.active)
        opened = await self._make_room(tx, session, submission.if_busy)
        if not session.title and submission.text:
            await self._name(tx, session, title_from(submission.text))
        if opened is not None and opened.turn.id == row.turn_id:
            return Receipt(session.id, row.turn_id, is_queued=False, turn=opened.turn), opened
        await self._tell_queued(tx, session, row)
        return Receipt(session.id, row.turn_id, is_queued=True), opened

    async def _name(self, tx: Transaction, session: Session, title: str) -> None:
        await tx.sessions.name(session.id, title, TitleOrigin.WORDS)
        if session.is_listed:
            data = {"session_id": session.id, "changed": ["title"]}
            await tx.events.append(session.id, None, [NewEvent.of(events.SESSION_UPDATED, data)])

    async def _known(self, tx: Transaction, row: InboxRow) -> Receipt:
        """The same message again: the first one stands, and its sender gets the same answer."""
        known = await tx.inbox.find(row.session_id, row.dedupe_key)
        assert known is not None
        return Receipt(known.session_id, known.turn_id, known.status is RowStatus.PENDING, is_duplicate=True)

    async def _make_room(self, tx: Transaction, session: Session, if_busy: IfBusy) -> Assignment | None:
        if session.active is None:
            return await self.dispatcher.open_next(tx, session)
        if if_busy is IfBusy.INTERRUPT:
            active = await tx.turns.get(session.active)
            assert active is not None
            return await self.dispatcher.close(tx, active, _INTERRUPTED)
        return None

    async def _tell_queued(self, tx: Transaction, session: Session, row: InboxRow) -> None:
        waiting = [r for r in await tx.inbox.pending(session.id) if r.kind is RowKind.MESSAGE]
        data = {"session_id": session.id, "turn_id": row.turn_id, "position": len(waiting)}
        await tx.events.append(session.id, None, [NewEvent.of(events.MESSAGE_QUEUED, data)])


def _row_of(submission: Submission, now: float) -> InboxRow:
    return InboxRow(
        id=0,
        session_id=submission.session_id,
        dedupe_key=MESSAGE_PREFIX + submission.dedupe_key,
        kind=RowKind.MESSAGE,
        source=submission.source,
        turn_id=submission.turn_id or new_id("turn"),
        door=submission.door,
        address=submission.address,
        model=submission.model,
        payload=orjson.dumps(_payload(submission)),
        steers=submission.if_busy is IfBusy.STEER,
        is_urgent=submission.if_busy is IfBusy.INTERRUPT,
        created_at=now,
    )


def _payload(submission: Submission) -> dict[str, Any]:
    if not submission.inputs and not submission.request.kind:
        return {"text": submission.text}
    return {
        "text": submission.text,
        "inputs": submission.inputs,
        "request": submission.request,
        "from_checkpoint": submission.from_checkpoint,
    }
