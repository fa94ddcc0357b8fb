"""Folds the log of a turn into the answer of a chat completion. Calls of the server's tools do not show in it."""

from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from wakeful.gateway.openai.chat.completion import (
    AnswerCall,
    AnswerChoice,
    AnswerFunction,
    AnswerMessage,
    ChatCompletion,
    FinishReason,
)
from wakeful.gateway.openai.failure import chat_error_of
from wakeful.gateway.openai.spoken_text import SpokenText
from wakeful.gateway.openai.usage import ChatUsage, UsageSum
from wakeful.model import event as events
from wakeful.model.event import Event, StreamItem, spoken
from wakeful.model.words import TOKEN
from wakeful.wire.error_types import ApiFailure


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
        # Calls of the client's tools.
        self.calls: list[AnswerCall] = []
        # Why the turn failed, or None.
        self.error: ApiFailure | None = None

    def feed(self, item: StreamItem) -> None:
        if (piece := spoken(item)) is not None:
            kind, step, text = piece
            if kind == TOKEN:
                self._text.add(step, text)
        elif isinstance(item, Event):
            self._take(item)

    def _take(self, event: Event) -> None:
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
    def finish_reason(self) -> FinishReason:
        if self._is_cut:
            return "length"
        return "tool_calls" if self.calls else "stop"

    @property
    def usage(self) -> ChatUsage:
        return self._usage.of_chat()

    def has_said(self, step: int) -> bool:
        return self._text.has(step)

    def completion(self, facts: ChatFacts) -> ChatCompletion:
        """Return the whole completion, for a client that does not stream. The turn must have completed."""
        return ChatCompletion(
            id=facts.id,
            created=facts.created,
            model=facts.model,
            choices=[AnswerChoice(message=self._message(), finish_reason=self.finish_reason)],
            usage=self.usage,
        )

    def _message(self) -> AnswerMessage:
        text = self._text.whole
        return AnswerMessage(content=text or None if self.calls else text, tool_calls=self.calls or UNSET)


def _call(data: dict[str, Any]) -> AnswerCall:
    function = AnswerFunction(name=data["name"], arguments=data["arguments"])
    return AnswerCall(id=data["call_id"], function=function)
