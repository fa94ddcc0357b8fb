"""Accepts a message for a new, an idle or a busy session, in one transaction."""

from dataclasses import dataclass, replace
from typing import Any

import orjson

from wakeful.engine.cron_runs import begin_run
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.decision import MESSAGE_PREFIX
from wakeful.engine.inbox.dispatcher import Dispatcher, assignment_of, titled
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.inbox.title import title_from
from wakeful.errors import EngineStopping, SessionBusy, SessionNotFound
from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.ids import new_id
from wakeful.model.inbox import IfBusy, InboxRow, RowKind, RowStatus
from wakeful.model.lane import Lane
from wakeful.model.opening import Opening
from wakeful.model.session import Session
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Transaction

_INTERRUPTED = Outcome(TurnStatus.CANCELLED, "interrupted", "A newer message took its place.")


@dataclass(frozen=True, slots=True)
class Intake:
    dispatcher: Dispatcher

    def first(self, submission: Submission) -> Opening:
        """Return the opening of a new session by its first message, without a read. Raises EngineStopping."""
        assert submission.session is not None
        session, row = submission.session, _row_of(submission)
        opening = self.dispatcher.rules.decide(Lane(session), row).opening
        if opening is None:
            raise EngineStopping
        opening = titled(opening, session, _title(session, submission))
        return replace(opening, session=session, conversation=submission.conversation)

    async def accept(self, tx: Transaction, submission: Submission) -> tuple[Receipt, Assignment | None]:
        row = _row_of(submission)
        if submission.session is not None and not row.is_asked and self.dispatcher.has_spend_cap:
            await self._create(tx, submission.session)
        elif submission.session is not None:
            opening = self.first(submission)
            assignment = assignment_of(opening, await tx.open(opening), submission.session.owner)
            await begin_run(tx, assignment.turn)
            return Receipt.opened(assignment.turn), assignment
        lane = await self.dispatcher.lane(tx, submission.session_id, row.dedupe_key)
        if lane.session.is_deleted:
            raise SessionNotFound(f"There is no session {lane.session.id}.")
        if lane.known is not None:
            return _known(lane.known), None
        opened = await self._take(tx, lane, row, submission)
        if opened is not None and opened.turn.id == row.turn_id:
            return Receipt.opened(opened.turn), opened
        await self._announce_queued(tx, lane, row, opened)
        return Receipt(lane.session.id, row.turn_id, is_queued=True), opened

    async def _create(self, tx: Transaction, session: Session) -> None:
        """Create a session whose first message may have to wait, because the day has cost enough."""
        now = await tx.now()
        await tx.sessions.create_if_absent(replace(session, created_at=now, updated_at=now))

    async def _take(self, tx: Transaction, lane: Lane, row: InboxRow, submission: Submission) -> Assignment | None:
        title = _title(lane.session, submission)
        if lane.active is None or submission.if_busy not in (IfBusy.REJECT, IfBusy.INTERRUPT):
            return await self.dispatcher.arrive(tx, lane, row, title=title)
        if submission.if_busy is IfBusy.REJECT:
            raise SessionBusy(lane.active.id)
        return await self.dispatcher.close(tx, lane, _INTERRUPTED, arrivals=[row], title=title)

    async def _announce_queued(self, tx: Transaction, lane: Lane, row: InboxRow, opened: Assignment | None) -> None:
        # With messages pending, a turn that was opened has taken one of them.
        waiting = 1 + sum(other.kind is RowKind.MESSAGE for other in lane.pending) - (opened is not None)
        data = {"session_id": row.session_id, "turn_id": row.turn_id, "position": waiting}
        await tx.events.append(row.session_id, None, [NewEvent.of(events.MESSAGE_QUEUED, data)])


def _known(row: InboxRow) -> Receipt:
    """Return the receipt of a message that was sent before: sending it again changes nothing."""
    return Receipt(row.session_id, row.turn_id, row.status is RowStatus.PENDING)


def _title(session: Session, submission: Submission) -> str:
    """Return the title that the message gives to a session without one; empty if it has one."""
    named = submission.text or ", ".join(attachment.name for attachment in submission.attachments)
    return title_from(named) if not session.title else ""


def _row_of(submission: Submission) -> InboxRow:
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
    )


def _payload(submission: Submission) -> dict[str, Any]:
    if submission.is_by_hand:
        return {"text": submission.text, "by_hand": True}
    if not submission.inputs and not submission.request.kind:
        files = [attachment.fields for attachment in submission.attachments]
        return {"text": submission.text} | ({"attachments": files} if files else {})
    return {
        "text": submission.text,
        "inputs": submission.inputs,
        "request": submission.request,
        "from_checkpoint": submission.from_checkpoint,
    }
