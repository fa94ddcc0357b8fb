"""An event: a numbered fact in the log of a session, and in that of a turn if it belongs to one."""

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
MODEL_CHANGED = "model_changed"
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
COMPACTION_STARTED = "compaction_started"
COMPACTION_DONE = "compaction_done"
COMPACTION_FAILED = "compaction_failed"
SESSION_UPDATED = "session-updated"
WAKE_WAITS = "wake_waits"
TODO = "todo"

# The last event of a turn is one of these, and a turn has exactly one.
FINAL_KINDS = frozenset({DONE, FAILED, CANCELLED})

# The fields whose text stands in the journal, by kind of event.
QUOTING = {
    MESSAGE: ("content",),
    NOTICE: ("content", "output"),
    TOOL: ("arguments",),
    TOOL_COMPLETE: ("result", "changes"),
}


@dataclass(frozen=True, slots=True)
class Quote:
    """Texts of an event that stand in its turn's journal: the log names the entry and leaves them out."""

    step: int
    # For a call: the index of its result, although its text stands in the answer.
    index: int
    texts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A fact before it is in the log, which gives it its numbers."""

    kind: str
    # Its data as the log stores them, with empty texts where it quotes. They are bytes, because a text column cannot
    # hold every text.
    kept: bytes
    # About the words that end with it.
    ends: WordsEnd | None = None
    quote: Quote | None = None

    @classmethod
    def of(cls, kind: str, data: Mapping[str, Any], ends: WordsEnd | None = None) -> "NewEvent":
        return cls(kind, pack(data), ends)

    @classmethod
    def quoting(cls, kind: str, data: Mapping[str, Any], step: int, index: int) -> "NewEvent":
        """Make an event that quotes an entry, which has to be written in the same transaction."""
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
    # As in NewEvent.
    kept: bytes
    at: float
    # About the words that end with it; they come before it.
    ends: WordsEnd | None = None
    quote: Quote | None = None

    @property
    def data(self) -> dict[str, Any]:
        return _data(self.kept, self.quote)

    @property
    def payload(self) -> bytes:
        return _whole(self.kept, self.quote)

    @property
    def is_final(self) -> bool:
        return self.kind in FINAL_KINDS

    @property
    def words_head(self) -> WordsHead:
        """The head of the words that end with it."""
        assert self.ends is not None
        assert self.turn_id is not None
        return WordsHead(self.session_id, self.turn_id, self.ends.step, self.ends.base)


@dataclass(frozen=True, slots=True)
class News:
    """An event that its owner is notified of, whichever session they are looking at."""

    # Counted per owner from 1, in the order of the commits: a cursor over all of the owner's sessions.
    number: int
    event: Event
    # The session's title and newest number, as they are now.
    title: str
    last_seq: int


def quoted_texts(kind: str, index: int, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts that an event of this kind, about this index of its step, quotes from an entry's data."""
    if kind == TOOL:
        return {"arguments": entry["calls"][index - 1]["arguments"]}
    if kind == TOOL_COMPLETE:
        return {"result": entry["text"], "changes": entry.get("changes", [])}
    notice = entry["notice"] if kind == NOTICE else {}
    return {"content": entry["text"]} | {name: notice[name] for name in QUOTING[kind] if name in notice}


def _data(kept: bytes, quote: Quote | None) -> dict[str, Any]:
    decoded: dict[str, Any] = orjson.loads(kept)
    return decoded if quote is None else decoded | quote.texts


def _whole(kept: bytes, quote: Quote | None) -> bytes:
    return kept if quote is None else pack(_data(kept, quote))


# What a reader of a log gets.
StreamItem = Event | Word


def spoken(item: StreamItem) -> tuple[str, int, str] | None:
    """Return kind, step and text of a word, also of one that an older version stored as an event."""
    if isinstance(item, Word):
        return item.kind, item.head.step, item.text
    if item.kind in (TOKEN, REASONING):
        data = item.data
        return item.kind, data["step"], data["text"]
    return None
