"""The journal: what a turn has recorded, keyed (turn, step, index). A resume continues from it.

Step 0 holds the inputs that opened the turn. In every later step index 0 is the model's answer, 1 to n are the
results of its n calls, and the rest are inputs that joined the turn before its next step. An answer that was cut off
has index 0, too, and is the last entry of its turn. A summary of the conversation so far is a step of its own.

Entries are never removed. What a user deletes is marked as deleted in its entry, and no model reads it again; summaries
that stood for it are emptied.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

import orjson

from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.change import Change
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    NativeParts,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.spend import Spend
from wakeful.model.words import Said, pack_cuts

# The parts of an entry that can be deleted. Of an answer: its text, its reasoning, or one of its calls, by its number
# from 1. Any other entry is deleted as a whole.
EntryPart = str | int
WHOLE, TEXT, REASONING = "whole", "text", "reasoning"


class EntryKind(StrEnum):
    INPUT = "input"
    ANSWER = "answer"
    RESULT = "result"
    # The words of an answer that was cut off, because its turn was stopped or failed. People see it; models do not.
    CUT = "cut"
    # Models read it instead of what came before; people see both.
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Entry:
    turn_id: str
    step: int
    index: int
    kind: EntryKind
    payload: bytes
    # When it was recorded; set by the store.
    at: float = 0.0
    # For an answer that is to be written: where its words were cut, see model/words.py. It is not read with the entry.
    cuts: bytes | None = None

    @property
    def id(self) -> str:
        """Its id as a message."""
        return f"{self.turn_id}.{self.step}.{self.index}"

    @property
    def data(self) -> dict[str, Any]:
        decoded: dict[str, Any] = orjson.loads(self.payload)
        return decoded


@dataclass(frozen=True, slots=True)
class Chain:
    """The entries of a turn and of its ancestors, oldest first."""

    # Changes whenever any entry, of any turn, is overwritten.
    revision: str
    # The ancestor after which they begin; None: they begin where the context does, which is the first turn or what the
    # newest summary keeps.
    base: str | None
    entries: list[Entry]
    # The turn with which they end, if more turns follow; None: they end with the turn that was asked for.
    last: str | None = None


def input_entry(turn_id: str, step: int, index: int, data: Mapping[str, Any]) -> Entry:
    """Make an entry of `data`: the text, its source and message_id, and the data of a notice. A client may also send
    messages of other roles, calls and their results: see input_message.
    """
    return Entry(turn_id, step, index, EntryKind.INPUT, orjson.dumps(data))


def answer_entry(turn_id: str, fact: Answered, cuts: bytes | None = None) -> Entry:
    message = fact.message
    payload: dict[str, Any] = {
        "text": message.text,
        "reasoning": message.reasoning,
        "calls": message.calls,
        "model": fact.model,
        "usage": fact.usage,
        "cost_usd": fact.cost_usd,
        "is_cut": fact.is_cut,
        "client_calls": sorted(fact.client_calls),
    }
    if message.native is not None:
        payload["native"] = message.native
    if fact.changes:
        payload["model_changes"] = [change.fields for change in fact.changes]
    return Entry(turn_id, fact.step, 0, EntryKind.ANSWER, orjson.dumps(payload), cuts=cuts)


def cut_entry(turn_id: str, step: int, said: Said) -> Entry:
    payload = orjson.dumps({"text": said.text, "reasoning": said.reasoning})
    return Entry(turn_id, step, 0, EntryKind.CUT, payload, cuts=pack_cuts(said.cuts))


def result_entry(
    turn_id: str,
    step: int,
    index: int,
    *,
    call_id: str,
    text: str,
    seconds: float,
    is_error: bool = False,
    changes: Sequence[Change] = (),
    images: Sequence[str] = (),
    shows: Sequence[Attachment] = (),
) -> Entry:
    payload: dict[str, Any] = {"call_id": call_id, "text": text, "seconds": seconds, "is_error": is_error}
    if changes:
        payload["changes"] = [change.fields for change in changes]
    if images:
        payload["images"] = images
    if shows:
        payload["attachments"] = [shown.fields for shown in shows]
    return Entry(turn_id, step, index, EntryKind.RESULT, orjson.dumps(payload))


def result_message(entry: Entry) -> ToolMessage:
    data = entry.data
    images = tuple(data.get("images", ()))
    return ToolMessage(
        data["call_id"], data["text"], is_error=bool(data.get("is_error")), images=images, origin=entry.id
    )


def with_change_undone(entry: Entry) -> Entry:
    """Return the result of a call with its changes marked as taken back."""
    changes = [change | {"undone": True} for change in entry.data.get("changes", ())]
    return replace(entry, payload=orjson.dumps(entry.data | {"changes": changes}))


def attachments_of(entry: Entry) -> list[dict[str, Any]]:
    """Return the files of a message, or those that a result shows, as they are recorded."""
    recorded: list[dict[str, Any]] = entry.data.get("attachments", [])
    return recorded


def summary_entry(turn_id: str, step: int, summary: Summary) -> Entry:
    return Entry(turn_id, step, 0, EntryKind.SUMMARY, orjson.dumps(asdict(summary)))


def summary_of(entry: Entry) -> Summary:
    data = entry.data
    data.pop("deleted", None)
    # Summaries of older versions have no list.
    lists = {name: tuple(data.get(name, ())) for name in ("instructions", "said", "work", "todo")}
    typed = {"reason": CompactionReason(data["reason"]), "usage": Usage(**data["usage"])}
    return Summary(**data | lists | typed)


def parts_of(entry: Entry) -> list[Entry]:
    """Split an entry into one for each message. A client may send a call of the server's back together with its
    result: to a model those are two messages.
    """
    # Hardly any entry has a result, so most are not decoded.
    result = entry.data.get("result") if b'"result"' in entry.payload else None
    if result is None:
        return [entry]
    call = {name: value for name, value in entry.data.items() if name != "result"}
    answer = {"role": "tool", "call_id": call["calls"][0]["id"], **result}
    return [replace(entry, payload=orjson.dumps(part)) for part in (call, answer)]


def input_message(entry: Entry) -> Message:
    data = entry.data
    role = data.get("role", "user")
    if role == "tool":
        return result_message(entry)
    if role == "assistant":
        calls = tuple(ToolCall(**call) for call in data.get("calls", ()))
        return AssistantMessage(data["text"], calls=calls, origin=entry.id)
    if role in ("system", "developer"):
        return SystemMessage(data["text"], origin=entry.id)
    images = tuple(data.get("images", ()))
    files = tuple(Attachment(**file) for file in attachments_of(entry))
    return UserMessage(data["text"], images, files=files, origin=entry.id, is_notice="notice" in data)


def answer_of(entry: Entry) -> AssistantMessage:
    """Return an answer without its deleted parts."""
    data = entry.data
    deleted = data.get("deleted", ())
    text = "" if TEXT in deleted else data["text"]
    reasoning = "" if REASONING in deleted else data["reasoning"]
    # The native parts refer to all texts and calls, and may repeat the reasoning.
    native = None if deleted else _native(data.get("native"))
    calls = tuple(call for _, call in calls_of(entry))
    return AssistantMessage(text, reasoning, calls, native=native, origin=entry.id)


def calls_in(entry: Entry) -> tuple[ToolCall, ...]:
    """Return the calls of an answer, or of a message that a client sent."""
    if entry.kind is EntryKind.ANSWER:
        return answer_of(entry).calls
    message = input_message(entry) if entry.kind is EntryKind.INPUT else None
    return message.calls if isinstance(message, AssistantMessage) else ()


def calls_of(entry: Entry) -> list[tuple[int, ToolCall]]:
    """Return the calls of an answer that were not deleted, each with its number, which is the index of its result."""
    data = entry.data
    deleted = data.get("deleted", ())
    numbered = enumerate(data["calls"], start=1)
    return [(number, ToolCall(**call)) for number, call in numbered if number not in deleted]


def _native(stored: Mapping[str, Any] | None) -> NativeParts | None:
    return None if stored is None else NativeParts(stored["provider"], stored["wire"], tuple(stored["parts"]))


def without(entry: Entry, part: EntryPart) -> Entry:
    """Return the entry with this part marked as deleted."""
    deleted = deleted_parts(entry) | {part}
    return replace(entry, payload=orjson.dumps(entry.data | {"deleted": sorted(deleted, key=str)}))


def without_words(entry: Entry) -> Entry:
    """Return a summary marked as deleted, with nothing of what it says. What it has cost stays."""
    emptied = replace(summary_of(entry), words="", instructions=(), said=(), work=(), todo=())
    return without(replace(entry, payload=orjson.dumps(asdict(emptied))), WHOLE)


def deleted_parts(entry: Entry) -> frozenset[EntryPart]:
    # Hardly any entry has deleted parts, so most are not decoded.
    return frozenset(entry.data.get("deleted", ())) if b'"deleted"' in entry.payload else frozenset()


def is_gone(entry: Entry) -> bool:
    """Whether nothing of it is left to read; reasoning alone does not count."""
    deleted = deleted_parts(entry)
    if not deleted or entry.kind is not EntryKind.ANSWER:
        return bool(deleted)
    left = answer_of(entry)
    return not left.text and not left.calls


def usage_of(entry: Entry) -> Usage:
    return Usage(**entry.data["usage"])


def spend_of(entry: Entry) -> Spend:
    """Return what an answer has cost. Journals of older versions have no price."""
    usage = usage_of(entry)
    return Spend.of_answer(usage.input_tokens, usage.output_tokens, entry.data.get("cost_usd"))


def model_of(entry: Entry) -> str:
    """Return the model that gave this answer; empty in journals of older versions, where it was the turn's."""
    return str(entry.data.get("model", ""))


def model_changes_of(entry: Entry) -> list[dict[str, Any]]:
    """Return which models were to give this answer before and failed, as the fields of ModelChanged."""
    changes: list[dict[str, Any]] = entry.data.get("model_changes", [])
    return changes


def is_cut(entry: Entry) -> bool:
    return bool(entry.data.get("is_cut"))


def client_call_numbers(entry: Entry) -> frozenset[int]:
    return frozenset(entry.data.get("client_calls", ()))
