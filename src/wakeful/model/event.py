"""An event: a numbered fact in the log of a session, and of a turn if it belongs to one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from wakeful.model.packed_json import pack

TURN_STARTED = "turn_started"
MESSAGE = "message"
NOTICE = "notice"
TOKEN = "token"
REASONING = "reasoning"
STEP_ABANDONED = "step_abandoned"
TOOL = "tool"
TOOL_COMPLETE = "tool_complete"
USAGE = "usage"
DONE = "done"
FAILED = "failed"
CANCELLED = "cancelled"
MESSAGE_QUEUED = "message_queued"
TASK_STARTED = "task_started"
PROCESS_COMPLETE = "process_complete"
WATCH_MATCH = "watch_match"
APPROVAL_REQUIRED = "approval_required"
APPROVAL_ANSWERED = "approval_answered"
SESSION_UPDATED = "session-updated"
WAKE_WAITS = "wake_waits"

# The last event of a turn is one of these, and there is exactly one.
FINAL_KINDS = frozenset({DONE, FAILED, CANCELLED})


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A fact on its way into the log; it gets its numbers there. Payloads are bytes, so that any text fits."""

    kind: str
    payload: bytes

    @classmethod
    def of(cls, kind: str, data: Mapping[str, Any]) -> "NewEvent":
        return cls(kind, pack(data))


@dataclass(frozen=True, slots=True)
class Event:
    session_id: str
    session_seq: int
    turn_id: str | None
    turn_seq: int | None
    kind: str
    payload: bytes
    at: float

    @property
    def data(self) -> dict[str, Any]:
        decoded: dict[str, Any] = orjson.loads(self.payload)
        return decoded

    @property
    def is_final(self) -> bool:
        return self.kind in FINAL_KINDS
