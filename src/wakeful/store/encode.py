"""Nouns as rows of either database: the columns of an INSERT and their values, in one order. See decode.py.

Columns of time are the last ones, where there are any. The store gives a time to what has none.
"""

from wakeful.model.conversation import Conversation
from wakeful.model.event import Event
from wakeful.model.inbox import InboxRow
from wakeful.model.journal import Entry
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.store.decode import packed_end

Values = tuple[object, ...]

SESSION = (
    "id",
    "owner",
    "platform",
    "chat_id",
    "thread_id",
    "model",
    "workspace",
    "title",
    "task_id",
    "is_listed",
    "head",
    "checkpoint",
    "active",
    "last_seq",
    "message_count",
    "title_origin",
    "created_at",
    "updated_at",
)
# Beside these: `number`, which is counted from the parent's.
TURN = (
    "id",
    "session_id",
    "parent",
    "door",
    "async_delivery",
    "platform",
    "chat_id",
    "thread_id",
    "source",
    "is_wakeup",
    "model",
    "status",
    "node",
    "epoch",
    "last_seq",
    "attempt",
    "workspace",
    "message_id",
    "request",
    "opened_at",
)
ROW = (
    "session_id",
    "dedupe_key",
    "kind",
    "source",
    "turn_id",
    "door",
    "async_delivery",
    "platform",
    "chat_id",
    "thread_id",
    "model",
    "payload",
    "steers",
    "is_urgent",
    "not_before",
    "status",
    "claimed_by",
    "created_at",
)
ENTRY = ("turn_id", "step", "idx", "kind", "payload", "cuts", "at")
EVENT = ("session_id", "session_seq", "turn_id", "turn_seq", "kind", "payload", "ends", "at")
CONVERSATION = ("id", "owner", "name", "session_id", "metadata", "created_at")


def session_values(session: Session) -> Values:
    address = session.address
    return (
        session.id,
        session.owner,
        address.platform,
        address.chat_id,
        address.thread_id,
        session.model,
        session.workspace,
        session.title,
        session.task_id,
        session.is_listed,
        session.head,
        session.checkpoint,
        session.active,
        session.last_seq,
        session.message_count,
        session.title_origin,
        session.created_at,
        session.updated_at,
    )


def turn_values(turn: Turn) -> Values:
    return (
        turn.id,
        turn.session_id,
        turn.parent,
        turn.door.name,
        turn.door.async_delivery,
        turn.address.platform,
        turn.address.chat_id,
        turn.address.thread_id,
        turn.source,
        turn.is_wakeup,
        turn.model,
        turn.status,
        turn.node,
        turn.epoch,
        turn.last_seq,
        turn.attempt,
        turn.workspace,
        turn.message_id,
        turn.request,
        turn.opened_at,
    )


def row_values(row: InboxRow) -> Values:
    return (
        row.session_id,
        row.dedupe_key,
        row.kind,
        row.source,
        row.turn_id,
        row.door.name,
        row.door.async_delivery,
        row.address.platform,
        row.address.chat_id,
        row.address.thread_id,
        row.model,
        row.payload,
        row.steers,
        row.is_urgent,
        row.not_before,
        row.status,
        row.claimed_by,
        row.created_at,
    )


def entry_values(entry: Entry) -> Values:
    return entry.turn_id, entry.step, entry.index, entry.kind, entry.payload, entry.cuts, entry.at


def event_values(event: Event) -> Values:
    return (
        event.session_id,
        event.session_seq,
        event.turn_id,
        event.turn_seq,
        event.kind,
        event.payload,
        packed_end(event.ends),
        event.at,
    )


def conversation_values(conversation: Conversation) -> Values:
    return (
        conversation.id,
        conversation.owner,
        conversation.name,
        conversation.session_id,
        conversation.metadata,
        conversation.created_at,
    )
