"""An answer that arrives as a sequence of blocks: texts, reasoning, calls, and blocks to send back to its provider."""

from collections.abc import Mapping
from typing import Any

import orjson

from wakeful.agent.providers.base import AnswerPart, AnswerReasoning, AnswerText
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.mended_text import MendedText, mended
from wakeful.agent.providers.native_layout import Layout
from wakeful.agent.providers.request_json import encoded, json_object
from wakeful.model.journal.message import AssistantMessage, ToolCall

# Between two thoughts or messages, as people read them.
_PARAGRAPH = "\n\n"


class BlockAnswer:
    """Each method that takes words returns the parts to stream: it may hold back half a character."""

    def __init__(self) -> None:
        self._text = MendedText()
        self._reasoning = MendedText()
        self._calls: list[ToolCall] = []
        self._layout = Layout()
        # How much of the text the layout knows.
        self._laid_out = 0
        self._is_new_thought = False

    def say(self, piece: str) -> list[AnswerPart]:
        shown = self._text.add(piece)
        return [AnswerText(shown)] if shown else []

    def think(self, piece: str) -> list[AnswerPart]:
        if self._is_new_thought and piece:
            self._is_new_thought = False
            piece = _PARAGRAPH + piece
        shown = self._reasoning.add(piece)
        return [AnswerReasoning(shown)] if shown else []

    def begin_message(self) -> list[AnswerPart]:
        """Part a message from the one before it in the same answer."""
        return self.say(_PARAGRAPH) if self._text.whole else []

    def begin_thought(self) -> None:
        self._is_new_thought = bool(self._reasoning.whole)

    def end_text(self, **extra: Any) -> list[AnswerPart]:
        """End a block of text. `extra` is sent back to the provider with it."""
        rest = self._text.finish()
        length = len(self._text.whole)
        self._layout.add_text(length - self._laid_out, **extra)
        self._laid_out = length
        return [AnswerText(rest)] if rest else []

    def end_thought(self) -> list[AnswerPart]:
        rest = self._reasoning.finish()
        return [AnswerReasoning(rest)] if rest else []

    def add_call(self, call_id: str, name: str, arguments: str) -> None:
        self._calls.append(ToolCall(mended(call_id), mended(name), mended(arguments)))
        self._layout.add_call()

    def add_block(self, block: Mapping[str, Any]) -> None:
        """Keep a block that is sent back as it is."""
        # Through JSON: it may hold half a character, which the journal cannot store.
        self._layout.add_block(orjson.loads(encoded(block)))

    def require_use(self, errors: EndpointErrors) -> None:
        """Raise ModelError if an answer that was cut off is of no use: a cut-off call must not run, and reasoning alone
        is no answer.
        """
        are_complete = all(json_object(call.arguments) is not None for call in self._calls)
        if not (are_complete if self._calls else self._text.whole):
            raise errors.cut()

    def message(self, provider: str, wire: str) -> AssistantMessage:
        # The arguments of a call without any may be an empty text, which is not JSON.
        calls = tuple(ToolCall(call.id, call.name, call.arguments or "{}") for call in self._calls)
        native = self._layout.native(provider, wire)
        return AssistantMessage(self._text.whole, self._reasoning.whole, calls, native=native)
