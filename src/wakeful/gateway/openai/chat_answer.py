"""What is told of a turn as the whole answer of a chat completion. The server's own tools are invisible here."""

from dataclasses import dataclass
from typing import Any

from wakeful.gateway.openai.failure import chat_error_of
from wakeful.gateway.openai.spoken_text import SpokenText
from wakeful.gateway.openai.usage import UsageSum
from wakeful.model import event as events
from wakeful.model.event import Event, Told, spoken
from wakeful.model.words import TOKEN


@dataclass(frozen=True, slots=True)
class ChatFacts:
    id: str
    model: str
    # Unix seconds.
    created: int


class ChatAnswer:
    def __init__(self) -> None:
        self._text = SpokenText()
        self._usage = UsageSum()
        self._is_cut = False
        # What the client's own tools are called with.
        self.calls: list[dict[str, Any]] = []
        # Why there is no answer, once that is known.
        self.error: dict[str, Any] | None = None

    def feed(self, told: Told) -> None:
        if (piece := spoken(told)) is not None:
            kind, step, text = piece
            if kind == TOKEN:
                self._text.add(step, text)
        elif isinstance(told, Event):
            self._go_on(told)

    def _go_on(self, event: Event) -> None:
        match event.kind:
            case events.STEP_ABANDONED:
                self._text.drop(event.data["step"])
            case events.TOOL if event.data.get("client", False):
                self.calls.append(_call(event.data))
            case events.USAGE:
                self._usage.add(event.data["usage"])
            case events.DONE | events.FAILED | events.CANCELLED:
                self.error = chat_error_of(event)
                self._is_cut = "incomplete" in event.data

    @property
    def finish_reason(self) -> str:
        if self._is_cut:
            return "length"
        return "tool_calls" if self.calls else "stop"

    @property
    def usage(self) -> dict[str, Any]:
        return self._usage.of_chat()

    def has_said(self, step: int) -> bool:
        return self._text.has(step)

    def completion(self, facts: ChatFacts) -> dict[str, Any]:
        """The object for a client that does not stream; of a turn that is done."""
        choice = {"index": 0, "message": self._message(), "logprobs": None, "finish_reason": self.finish_reason}
        return {
            "id": facts.id,
            "object": "chat.completion",
            "created": facts.created,
            "model": facts.model,
            "choices": [choice],
            "usage": self.usage,
            "service_tier": "default",
            "system_fingerprint": None,
        }

    def _message(self) -> dict[str, Any]:
        text = self._text.whole
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
        if self.calls:
            message |= {"content": text or None, "tool_calls": self.calls}
        return message


def _call(data: dict[str, Any]) -> dict[str, Any]:
    function = {"name": data["name"], "arguments": data["arguments"]}
    return {"id": data["call_id"], "type": "function", "function": function}
