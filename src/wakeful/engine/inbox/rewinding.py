"""Rewinding: a new turn grows from the parent of an earlier one and replaces it in the conversation.

The replaced turns stay in the store, for sessions that branched from them, but are in no transcript.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wakeful.engine.inbox.decision import MESSAGE_PREFIX
from wakeful.engine.inbox.dispatcher import require_session
from wakeful.engine.inbox.submission import Receipt
from wakeful.errors import MessageUnusable, SessionBusy
from wakeful.model.event import SESSION_UPDATED, NewEvent
from wakeful.model.files.attachment import Attachment
from wakeful.model.inbox import UNDO, RowStatus
from wakeful.model.journal.entry import Entry, attachments_of
from wakeful.model.session import Session
from wakeful.model.turn import COMPACTION, Turn, TurnStatus
from wakeful.store.base import Body, Transaction

_OPENING_STEP = 0


@dataclass(frozen=True, slots=True)
class Retake:
    """A turn to replace, and the inputs of the new one."""

    turn: Turn
    inputs: Sequence[Mapping[str, Any]]
    text: str


async def edited(
    tx: Transaction,
    session: Session,
    turn_id: str,
    position: tuple[int, int],
    text: str,
    attachments: Sequence[Attachment] | None = None,
) -> Retake:
    """Return a retake with a new text for the message at this step and index. It keeps its files, unless others are
    given. Raises MessageUnusable.
    """
    turn = await tx.turns.get(turn_id)
    entries = [] if turn is None else await _inputs(tx, turn)
    spoken = next((entry for entry in entries if (entry.step, entry.index) == position), None)
    if turn is None or spoken is None or _is_by_server(spoken) or not await stands_in(tx, turn, session):
        raise MessageUnusable("message_id must be the id of a message of yours in this session.")
    if spoken.step != _OPENING_STEP:
        raise MessageUnusable("This message joined a running turn: edit the message that opened the turn.")
    # The others stay: the agent must still hear of the tasks that have ended and of the files that were put back.
    others = [entry.data for entry in entries if _is_by_server(entry)]
    files = attachments_of(spoken) if attachments is None else [attachment.fields for attachment in attachments]
    said = {"text": text} | ({"attachments": files} if files else {})
    return Retake(turn, [*others, said] if others or files else (), text)


async def repeated(tx: Transaction, session: Session) -> Retake:
    """Return a retake of the last turn with the same inputs. Raises MessageUnusable."""
    turn = await _last_answering(tx, session.head)
    entries = [] if turn is None else await _inputs(tx, turn)
    if turn is None or not entries:
        raise MessageUnusable("There is no answer yet to give again: send a message first.")
    inputs = [entry.data for entry in entries]
    return Retake(turn, inputs, str(inputs[-1]["text"]))


async def is_accepted(tx: Transaction, session_id: str, key: str) -> bool:
    """Return whether a message with this key was accepted before."""
    return await tx.inbox.find(session_id, MESSAGE_PREFIX + key) is not None


def rewind(session_id: str, turn: Turn, key: str) -> Body[Receipt | None]:
    """Return the `before` of Engine.submit that moves the head to the turn's parent. It returns the receipt if the key
    was accepted before, and raises SessionBusy or MessageUnusable.
    """

    async def body(tx: Transaction) -> Receipt | None:
        known = await tx.inbox.find(session_id, MESSAGE_PREFIX + key)
        if known is not None:
            return Receipt(session_id, known.turn_id, known.status is RowStatus.PENDING)
        session = await require_session(tx, session_id)
        if session.active is not None:
            raise SessionBusy(session.active)
        if not await stands_in(tx, turn, session):
            raise MessageUnusable("The conversation has changed meanwhile: load it again.")
        head = None if turn.parent is None else await tx.turns.get(turn.parent)
        await tx.sessions.rewind(
            session_id,
            head=turn.parent,
            checkpoint=None if head is None else await latest_done(tx, head),
            message_count=0 if turn.parent is None else await tx.journal.count_chain(turn.parent),
        )
        data = {"session_id": session_id, "changed": ["messages"], "from_turn_id": turn.id}
        await tx.events.append(session_id, None, [NewEvent.of(SESSION_UPDATED, data)])
        return None

    return body


async def belongs_to(tx: Transaction, turn: Turn, session: Session) -> bool:
    """Return whether the turn is part of the session; a branch begins with turns of another session."""
    return turn.session_id == session.id or await stands_in(tx, turn, session)


async def stands_in(tx: Transaction, turn: Turn, session: Session) -> bool:
    """Return whether the turn is in the session's current conversation, which may begin in another session."""
    above = session.head
    while above is not None and above != turn.id:
        known = await tx.turns.get(above)
        # Numbers grow along the conversation: at or below its own number the search is over.
        above = None if known is None or known.number <= turn.number else known.parent
    return above is not None


async def latest_done(tx: Transaction, turn: Turn) -> str | None:
    """Return the latest turn that completed: this one or the nearest such ancestor."""
    while turn.status is not TurnStatus.DONE:
        parent = None if turn.parent is None else await tx.turns.get(turn.parent)
        if parent is None:
            return None
        turn = parent
    return turn.id


def _is_by_server(entry: Entry) -> bool:
    return "notice" in entry.data or entry.data.get("source") == UNDO


async def _inputs(tx: Transaction, turn: Turn) -> list[Entry]:
    return await tx.journal.inputs_of([turn.id])


async def _last_answering(tx: Transaction, turn_id: str | None) -> Turn | None:
    """Return this turn, or the nearest ancestor that is more than a compaction."""
    turn = None if turn_id is None else await tx.turns.get(turn_id)
    while turn is not None and turn.source == COMPACTION:
        turn = None if turn.parent is None else await tx.turns.get(turn.parent)
    return turn
