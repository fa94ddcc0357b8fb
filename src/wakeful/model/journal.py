"""The journal: what a turn has recorded, keyed (turn, step, index). It is what a resume goes on from.

Step 0 holds the inputs that opened the turn. In every later step index 0 is the model's answer, 1 to n are the
results of its n calls, and what follows are inputs that joined the turn before its next step.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from wakeful.model.fact import Answered
from wakeful.model.message import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, Usage, UserMessage


class EntryKind(StrEnum):
    INPUT = "input"
    ANSWER = "answer"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Entry:
    turn_id: str
    step: int
    index: int
    kind: EntryKind
    payload: bytes
    # When it was recorded: given by the store.
    at: float = 0.0

    @property
    def id(self) -> str:
        """The name under which people see it, as a message."""
        return f"{self.turn_id}.{self.step}.{self.index}"

    @property
    def data(self) -> dict[str, Any]:
        decoded: dict[str, Any] = orjson.loads(self.payload)
        return decoded


def input_entry(turn_id: str, step: int, index: int, data: Mapping[str, Any]) -> Entry:
    """`data` has the text, its source and message_id, and what is known of a notice. A client may also give words of
    other roles, calls and their results: see input_message.
    """
    return Entry(turn_id, step, index, EntryKind.INPUT, orjson.dumps(data))


def answer_entry(turn_id: str, fact: Answered) -> Entry:
    message = fact.message
    payload = {
        "text": message.text,
        "reasoning": message.reasoning,
        "calls": message.calls,
        "usage": fact.usage,
        "is_cut": fact.is_cut,
        "client_calls": sorted(fact.client_calls),
    }
    return Entry(turn_id, fact.step, 0, EntryKind.ANSWER, orjson.dumps(payload))


def result_entry(turn_id: str, step: int, index: int, *, call_id: str, text: str, seconds: float) -> Entry:
    payload = orjson.dumps({"call_id": call_id, "text": text, "seconds": seconds})
    return Entry(turn_id, step, index, EntryKind.RESULT, payload)


def input_message(entry: Entry) -> Message:
    data = entry.data
    role = data.get("role", "user")
    if role == "tool":
        return ToolMessage(data["call_id"], data["text"])
    if role == "assistant":
        return AssistantMessage(data["text"], calls=tuple(ToolCall(**call) for call in data.get("calls", ())))
    if role in ("system", "developer"):
        return SystemMessage(data["text"])
    return UserMessage(data["text"], tuple(data.get("images", ())))


def answer_of(entry: Entry) -> AssistantMessage:
    data = entry.data
    calls = tuple(ToolCall(**call) for call in data["calls"])
    return AssistantMessage(data["text"], data["reasoning"], calls)


def usage_of(entry: Entry) -> Usage:
    return Usage(**entry.data["usage"])


def is_cut(entry: Entry) -> bool:
    return bool(entry.data.get("is_cut"))


def client_calls_of(entry: Entry) -> frozenset[int]:
    return frozenset(entry.data.get("client_calls", ()))
