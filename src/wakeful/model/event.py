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

# What these say in the words of the journal, by the names that it has in their data.
QUOTING = {MESSAGE: ("content",), NOTICE: ("content", "output"), TOOL: ("arguments",), TOOL_COMPLETE: ("result",)}


@dataclass(frozen=True, slots=True)
class Quote:
    """What an event says in the words of its turn's journal: the log names the entry and leaves the words out."""

    step: int
    # A call is named by the place of its result; its words stand in the answer.
    index: int
    texts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A fact on its way into the log; it gets its numbers there."""

    kind: str
    # Its data as the log keeps them, as bytes, so that any text fits: what it quotes is empty in them.
    kept: bytes
    # Of the words that end with it.
    ends: WordsEnd | None = None
    quote: Quote | None = None

    @classmethod
    def of(cls, kind: str, data: Mapping[str, Any], ends: WordsEnd | None = None) -> "NewEvent":
        return cls(kind, pack(data), ends)

    @classmethod
    def quoting(cls, kind: str, data: Mapping[str, Any], step: int, index: int) -> "NewEvent":
        """One whose entry is written in the same transaction."""
        texts = {name: data[name] for name in QUOTING[kind] if name in data}
        return cls(kind, pack({**data, **dict.fromkeys(texts, "")}), quote=Quote(step, index, texts))

    @property
    def payload(self) -> bytes:
        return _whole(self.kept, self.quote)


@dataclass(frozen=True, slots=True)
class Event:
    session_id: str
    session_seq: int
    turn_id: str | None
    turn_seq: int | None
    kind: str
    # As in a new one.
    kept: bytes
    at: float
    # Of the words that end with it; they come before it.
    ends: WordsEnd | None = None
    quote: Quote | None = None

    @property
    def data(self) -> dict[str, Any]:
        return _data(self.kept, self.quote)

    @property
    def payload(self) -> bytes:
        """The data, packed."""
        return _whole(self.kept, self.quote)

    @property
    def is_final(self) -> bool:
        return self.kind in FINAL_KINDS

    @property
    def words_head(self) -> WordsHead:
        """Of the words that end with it."""
        assert self.ends is not None
        assert self.turn_id is not None
        return WordsHead(self.session_id, self.turn_id, self.ends.step, self.ends.base)


@dataclass(frozen=True, slots=True)
class News:
    """An event that its owner wants to hear of, whichever of their sessions is in view."""

    # Counted for each owner from 1, in the order of the commits: a cursor over all of their sessions.
    number: int
    event: Event
    # Of its session, as they are now.
    title: str
    last_seq: int


def quoted_texts(kind: str, index: int, entry: Mapping[str, Any]) -> dict[str, Any]:
    """What an event of this kind, about this place of its step, says in the words of an entry with these data."""
    if kind == TOOL:
        return {"arguments": entry["calls"][index - 1]["arguments"]}
    if kind == TOOL_COMPLETE:
        return {"result": entry["text"]}
    notice = entry["notice"] if kind == NOTICE else {}
    return {"content": entry["text"]} | {name: notice[name] for name in QUOTING[kind] if name in notice}


def _data(kept: bytes, quote: Quote | None) -> dict[str, Any]:
    decoded: dict[str, Any] = orjson.loads(kept)
    return decoded if quote is None else decoded | quote.texts


def _whole(kept: bytes, quote: Quote | None) -> bytes:
    return kept if quote is None else pack(_data(kept, quote))


# What a reader of a log gets, in order.
StreamItem = Event | Word


def spoken(told: StreamItem) -> tuple[str, int, str] | None:
    """Kind, step and text of a word, also of one that an older version has written down as an event."""
    if isinstance(told, Word):
        return told.kind, told.head.step, told.text
    if told.kind in (TOKEN, REASONING):
        data = told.data
        return told.kind, data["step"], data["text"]
    return None
