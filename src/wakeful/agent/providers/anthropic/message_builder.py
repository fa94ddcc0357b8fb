"""Builds one answer from the events of its stream."""

from collections.abc import Mapping
from typing import Any

from wakeful.agent.providers.base import AnswerPart, Finished
from wakeful.agent.providers.chunk_stream import count_in, object_in, text_in
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.endpoint_settings import Wire
from wakeful.agent.providers.event_answer import EventAnswer
from wakeful.agent.providers.request_json import encoded, json_object
from wakeful.model.journal.message import AssistantMessage, Usage


class MessageBuilder(EventAnswer):
    """Takes the events of one answer. An answer that pauses goes on with the events of the next response."""

    def __init__(self, errors: EndpointErrors, provider: str) -> None:
        super().__init__(errors, provider)
        # The open block, and its JSON or its thinking in pieces.
        self._block: dict[str, Any] = {}
        self._pieces: list[str] = []
        # The counts of this response, and the usage of those before it.
        self._counts: dict[str, Any] = {}
        self._earlier_usage = Usage()
        self._stop_reason = ""
        self._explanation = ""
        self._handlers = {
            "content_block_delta": self._continue_block,
            "content_block_start": self._begin_block,
            "content_block_stop": self._end_block,
            "message_start": self._begin,
            "message_delta": self._note_end,
            "message_stop": self._end,
            "error": self._fail,
        }

    @property
    def is_paused(self) -> bool:
        return self._stop_reason == "pause_turn"

    @property
    def usage(self) -> Usage:
        """What the endpoint has counted so far."""
        return self._earlier_usage.plus(_usage(self._counts))

    def go_on(self) -> AssistantMessage:
        """Return the answer so far, and expect the next response."""
        self._has_begun = self.has_ended = False
        return self._message

    def finish(self) -> Finished:
        """Raises ModelError if the answer is unusable."""
        if self._stop_reason == "refusal":
            raise self._errors.filtered(self._explanation)
        if self._stop_reason == "model_context_window_exceeded":
            raise self._errors.overflow()
        is_cut = self._stop_reason == "max_tokens"
        if is_cut:
            self._blocks.require_use(self._errors)
        return Finished(self._message, self.usage, is_cut)

    @property
    def _message(self) -> AssistantMessage:
        return self._blocks.message(self._provider, Wire.ANTHROPIC)

    def _begin(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        self._earlier_usage = self.usage
        self._counts = dict(object_in(object_in(event, "message"), "usage"))
        self._stop_reason = ""
        return []

    def _begin_block(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        self._block = dict(object_in(event, "content_block"))
        self._pieces = []
        match self._block.get("type"):
            case "text":
                return self._blocks.say(text_in(self._block, "text"))
            case "thinking":
                self._blocks.begin_thought()
                return self._think(text_in(self._block, "thinking"))
        return []

    def _continue_block(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        delta = object_in(event, "delta")
        match delta.get("type"):
            case "text_delta":
                return self._blocks.say(text_in(delta, "text"))
            case "thinking_delta":
                return self._think(text_in(delta, "thinking"))
            case "input_json_delta":
                self._pieces.append(text_in(delta, "partial_json"))
            case "signature_delta":
                self._block["signature"] = text_in(delta, "signature")
        return []

    def _think(self, piece: str) -> list[AnswerPart]:
        self._pieces.append(piece)
        return self._blocks.think(piece)

    def _end_block(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        block, self._block = self._block, {}
        match block.get("type"):
            case "text":
                return self._blocks.end_text()
            case "thinking":
                # Also without words: the signature alone carries them.
                self._blocks.add_block({**block, "thinking": "".join(self._pieces)})
                return self._blocks.end_thought()
            case "tool_use":
                self._blocks.add_call(text_in(block, "id"), text_in(block, "name"), self._arguments(block))
            case None:
                pass
            case _:
                self._blocks.add_block(self._with_input(block))
        return []

    def _arguments(self, block: Mapping[str, Any]) -> str:
        """Return the call's arguments. Copies of the API may send them whole, at the start of the block."""
        whole = block.get("input")
        return "".join(self._pieces) or (encoded(whole).decode() if isinstance(whole, dict) and whole else "")

    def _with_input(self, block: dict[str, Any]) -> dict[str, Any]:
        """Complete a block of a tool that the provider runs itself."""
        given = json_object("".join(self._pieces))
        return block if given is None else {**block, "input": given}

    def _note_end(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        delta = object_in(event, "delta")
        self._stop_reason = text_in(delta, "stop_reason") or self._stop_reason
        self._explanation = text_in(object_in(delta, "stop_details"), "explanation")
        # Sums so far. What is not there stays as it was at the start.
        self._counts |= {name: value for name, value in object_in(event, "usage").items() if value is not None}
        return []

    def _end(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        self.has_ended = True
        return []

    def _fail(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        raise self._errors.reported(event.get("error"))


def _usage(counts: Mapping[str, Any]) -> Usage:
    read, written = count_in(counts, "cache_read_input_tokens"), count_in(counts, "cache_creation_input_tokens")
    return Usage(
        input_tokens=count_in(counts, "input_tokens") + read + written,
        output_tokens=count_in(counts, "output_tokens"),
        cached_tokens=read,
        reasoning_tokens=count_in(counts.get("output_tokens_details"), "thinking_tokens"),
        cache_write_tokens=written,
    )
