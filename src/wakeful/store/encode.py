"""Nouns as rows of either database: the columns of an INSERT, and the values that go into them. See decode.py.

The store gives a time to what has none.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from operator import attrgetter

import orjson

from wakeful.model.approvals.approval import Approval
from wakeful.model.approvals.grant import Grant
from wakeful.model.conversation import Conversation, IdempotencyKey
from wakeful.model.event import Event, NewEvent
from wakeful.model.inbox import InboxRow
from wakeful.model.journal import Entry
from wakeful.model.login import Login, Ticket
from wakeful.model.packed_json import pack
from wakeful.model.session import Session
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Outcome, Turn
from wakeful.model.words import WordsEnd

Values = tuple[object, ...]

# Columns whose value is not the attribute of the same name.
_ATTRIBUTES = {
    "platform": "address.platform",
    "chat_id": "address.chat_id",
    "thread_id": "address.thread_id",
    "sender": "address.sender.packed",
    "door": "door.name",
    "async_delivery": "door.async_delivery",
    "host": "host.id",
    "boot_id": "host.boot_id",
    "idx": "index",
}

SESSION = (
    "id",
    "owner",
    "platform",
    "chat_id",
    "thread_id",
    "model",
    "workspace",
    "chat_key",
    "chat_name",
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
    "sender",
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
    "sender",
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
CONVERSATION = ("id", "owner", "name", "session_id", "metadata", "created_at")
IDEMPOTENCY_KEY = ("owner", "key", "fingerprint", "turn_id", "created_at")
TICKET = ("digest", "principal", "created_at", "used_at", "expires_at")
LOGIN = (*TICKET, "browser", "address")
# What an event has before it has its numbers.
FACT = ("kind", "payload", "ends", "step", "idx")
# The first ones of each as they are; what stands beside them is encoded.
_OF_EVENT = ("session_id", "session_seq", "turn_id", "turn_seq", "at")
EVENT = (*_OF_EVENT, *FACT)
_OF_TASK = (
    "id",
    "kind",
    "session_id",
    "owner",
    "turn_id",
    "step",
    "idx",
    "part",
    "host",
    "boot_id",
    "door",
    "async_delivery",
    "platform",
    "chat_id",
    "thread_id",
    "sender",
    "model",
    "will_notify",
    "is_inline",
    "spec",
    "watch",
    "attempt",
    "node",
    "child_session_id",
    "status",
    "started_at",
)
TASK = (*_OF_TASK, "command")
_OF_APPROVAL = (
    "session_id",
    "turn_id",
    "step",
    "idx",
    "call_id",
    "tool",
    "folder",
    "granted_until",
    "expires_at",
    "task_id",
    "created_at",
)
APPROVAL = (*_OF_APPROVAL, "command", "preview", "dangers")
_OF_GRANT = ("id", "owner", "kind", "session_id", "folder", "created_at", "expires_at")
GRANT = (*_OF_GRANT, "example")


def _values(columns: Sequence[str]) -> Callable[[object], Values]:
    return attrgetter(*(_ATTRIBUTES.get(column, column) for column in columns))


session_values: Callable[[Session], Values] = _values(SESSION)
turn_values: Callable[[Turn], Values] = _values(TURN)
row_values: Callable[[InboxRow], Values] = _values(ROW)
entry_values: Callable[[Entry], Values] = _values(ENTRY)
conversation_values: Callable[[Conversation], Values] = _values(CONVERSATION)
idempotency_key_values: Callable[[IdempotencyKey], Values] = _values(IDEMPOTENCY_KEY)
ticket_values: Callable[[Ticket], Values] = _values(TICKET)
login_values: Callable[[Login], Values] = _values(LOGIN)
_event_values, _task_values = _values(_OF_EVENT), _values(_OF_TASK)
_approval_values, _grant_values = _values(_OF_APPROVAL), _values(_OF_GRANT)


def event_values(event: Event) -> Values:
    return *_event_values(event), *fact_values(event)


def fact_values(fact: NewEvent | Event) -> Values:
    return fact.kind, fact.kept, packed_end(fact.ends), *place_of(fact)


def place_of(fact: NewEvent | Event) -> tuple[int | None, int | None]:
    """Of the entry that it quotes."""
    return (None, None) if fact.quote is None else (fact.quote.step, fact.quote.index)


def task_values(task: Task) -> Values:
    return *_task_values(task), task.command.encode()


def approval_values(approval: Approval) -> Values:
    reasons = pack([asdict(found) for found in approval.reasons])
    return *_approval_values(approval), approval.command.encode(), approval.preview.encode(), reasons


def grant_values(grant: Grant) -> Values:
    return *_grant_values(grant), grant.example.encode()


def packed_end(ends: WordsEnd | None) -> bytes | None:
    return None if ends is None else orjson.dumps(ends.data())


def packed_error(outcome: Outcome) -> bytes | None:
    return orjson.dumps({"code": outcome.code, "message": outcome.message}) if outcome.code else None
