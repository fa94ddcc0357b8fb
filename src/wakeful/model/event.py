"""An event: a numbered fact in the log of a session, and of a turn if it belongs to one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from wakeful.model.packed_json import pack
from wakeful.model.words import REASONING as REASONING
from wakeful.model.words import TOKEN as TOKEN
from wakeful.model.words import Word, WordsEnd, WordsHead

TURN_STARTED = "turn_started"
MESSAGE = "message"
NOTICE = "notice"
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
    # Of the words that end with it.
    ends: WordsEnd | None = None

    @classmethod
    def of(cls, kind: str, data: Mapping[str, Any], ends: WordsEnd | None = None) -> "NewEvent":
        return cls(kind, pack(data), ends)


@dataclass(frozen=True, slots=True)
class Event:
    session_id: str
    session_seq: int
    turn_id: str | None
    turn_seq: int | None
    kind: str
    payload: bytes
    at: float
    # Of the words that end with it; they come before it.
    ends: WordsEnd | None = None

    @property
    def data(self) -> dict[str, Any]:
        decoded: dict[str, Any] = orjson.loads(self.payload)
        return decoded

    @property
    def is_final(self) -> bool:
        return self.kind in FINAL_KINDS

    @property
    def words_head(self) -> WordsHead:
        """Of the words that end with it."""
        assert self.ends is not None
        assert self.turn_id is not None
        return WordsHead(self.session_id, self.turn_id, self.ends.step, self.ends.base)


# What a reader of a log gets, in order.
Told = Event | Word


def spoken(told: Told) -> tuple[str, int, str] | None:
    """Kind, step and text of a word, also of one that an older version has written down as an event."""
    if isinstance(told, Word):
        return told.kind, told.head.step, told.text
    if told.kind in (TOKEN, REASONING):
        data = told.data
        return told.kind, data["step"], data["text"]
    return None
