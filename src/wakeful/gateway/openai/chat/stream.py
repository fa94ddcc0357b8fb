"""Folds the log of a turn into the stream of a chat completion. Such a stream has no numbers and cannot retract text:
if a step is abandoned after some of its text was sent, the stream ends with an error.
"""

import msgspec
from msgspec import UNSET

from wakeful.gateway.openai.chat.answer import ChatAnswer, ChatFacts
from wakeful.gateway.openai.chat.completion import ChatChunk, ChunkChoice, Delta, FinishReason, IndexedCall
from wakeful.gateway.openai.failure import chat_error
from wakeful.gateway.openai.frames import DONE
from wakeful.gateway.openai.usage import ChatUsage
from wakeful.model import event as events
from wakeful.model.event import Event, StreamItem, spoken
from wakeful.model.words import TOKEN
from wakeful.wire.error_types import ApiFailure, ApiProblem

# Where the text goes in a line. It is found only once: quotes inside other fields are escaped.
_TEXT = b'{"content":""}'


class ChatStream:
    def __init__(self, facts: ChatFacts, *, includes_usage: bool) -> None:
        self._facts = facts
        self._includes_usage = includes_usage
        self._answer = ChatAnswer()
        self._has_begun = False
        # Only the text differs between text lines, so the rest is encoded once.
        self._before_text, _, self._after_text = self._delta(Delta(content="")).partition(_TEXT)
        # Whether the last line has been returned; later items are ignored.
        self.is_ended = False

    def feed(self, item: StreamItem) -> list[bytes]:
        """Take the next item of the log and return the lines that it adds, as they are sent."""
        if self.is_ended:
            return []
        lines = [] if self._has_begun else self._begin()
        if (piece := spoken(item)) is not None:
            kind, _, text = piece
            self._answer.feed(item)
            return [*lines, self._text(text)] if kind == TOKEN else lines
        return lines + self._take(item) if isinstance(item, Event) else lines

    @staticmethod
    def break_off() -> bytes:
        """Return the last line for a stream that ends before its turn does."""
        error = chat_error("stream_interrupted", "The server is stopping; send the request again.")
        return _line(ApiProblem(error=error))

    def _begin(self) -> list[bytes]:
        self._has_begun = True
        return [self._delta(Delta(role="assistant", content="", refusal=None))]

    def _take(self, event: Event) -> list[bytes]:
        is_retracted = event.kind == events.STEP_ABANDONED and self._answer.has_said(event.data["step"])
        self._answer.feed(event)
        if is_retracted:
            message = "The answer broke off after its first words had been sent; send the request again."
            return self._fail(chat_error("stream_interrupted", message))
        if event.is_final:
            return self._end()
        if event.kind == events.TOOL and event.data.get("client", False):
            index, call = len(self._answer.calls) - 1, self._answer.calls[-1]
            return [self._delta(Delta(tool_calls=[IndexedCall(index=index, id=call.id, function=call.function)]))]
        return []

    def _end(self) -> list[bytes]:
        if self._answer.error is not None:
            return self._fail(self._answer.error)
        self.is_ended = True
        lines = [self._delta(Delta(), self._answer.finish_reason)]
        if self._includes_usage:
            lines.append(self._chunk([], self._answer.usage))
        return [*lines, DONE]

    def _fail(self, error: ApiFailure) -> list[bytes]:
        self.is_ended = True
        return [_line(ApiProblem(error=error))]

    def _text(self, text: str) -> bytes:
        return b'%b{"content":%b}%b' % (self._before_text, msgspec.json.encode(text), self._after_text)

    def _delta(self, delta: Delta, finish_reason: FinishReason | None = None) -> bytes:
        return self._chunk([ChunkChoice(delta=delta, finish_reason=finish_reason)])

    def _chunk(self, choices: list[ChunkChoice], usage: ChatUsage | None = None) -> bytes:
        chunk = ChatChunk(
            id=self._facts.id,
            created=self._facts.created,
            model=self._facts.model,
            choices=choices,
            usage=usage if self._includes_usage else UNSET,
        )
        return _line(chunk)


def _line(data: ChatChunk | ApiProblem) -> bytes:
    return b"data: %b\n\n" % msgspec.json.encode(data)
