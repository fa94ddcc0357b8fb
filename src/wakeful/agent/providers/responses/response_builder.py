"""Builds one answer from the events of its stream."""

from collections.abc import Mapping
from typing import Any

from wakeful.agent.providers.base import AnswerPart, Finished
from wakeful.agent.providers.chunk_stream import count_in, object_in, text_in
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.endpoint_settings import Wire
from wakeful.agent.providers.event_answer import EventAnswer
from wakeful.model.journal.message import Usage


class ResponseBuilder(EventAnswer):
    def __init__(self, errors: EndpointErrors, provider: str) -> None:
        super().__init__(errors, provider)
        self._response: Mapping[str, Any] = {}
        self._handlers = {
            "response.output_text.delta": self._say,
            "response.refusal.delta": self._say,
            "response.reasoning_summary_part.added": self._begin_thought,
            "response.reasoning_summary_text.delta": self._think,
            "response.reasoning_text.delta": self._think,
            "response.created": self._begin,
            "response.output_item.added": self._begin_item,
            "response.output_item.done": self._end_item,
            "response.completed": self._end,
            "response.incomplete": self._end,
            "response.failed": self._fail,
            "error": self._report,
        }

    def finish(self) -> Finished:
        """Raises ModelError if the answer is unusable."""
        reason = object_in(self._response, "incomplete_details").get("reason")
        if reason == "content_filter":
            raise self._errors.filtered()
        is_cut = self._response.get("status") == "incomplete"
        if is_cut:
            self._blocks.require_use(self._errors)
        message = self._blocks.message(self._provider, Wire.RESPONSES)
        return Finished(message, self.usage, is_cut)

    @property
    def usage(self) -> Usage:
        """What the endpoint has counted, which it says at the end."""
        return _usage(object_in(self._response, "usage"))

    def _begin(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        return []

    def _begin_item(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        if object_in(event, "item").get("type") == "message":
            return self._blocks.begin_message()
        return []

    def _say(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        return self._blocks.say(text_in(event, "delta"))

    def _begin_thought(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        self._blocks.begin_thought()
        return []

    def _think(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        return self._blocks.think(text_in(event, "delta"))

    def _end_item(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        item = object_in(event, "item")
        match item.get("type"):
            case "message":
                # The phase tells the model's remarks from its answer.
                phase = item.get("phase")
                return self._blocks.end_text(**({"phase": phase} if phase else {}))
            case "function_call":
                self._blocks.add_call(text_in(item, "call_id"), text_in(item, "name"), text_in(item, "arguments"))
            case "reasoning":
                self._blocks.add_block(item)
                return self._blocks.end_thought()
            case None:
                pass
            case _:
                self._blocks.add_block(item)
        return []

    def _end(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        self._response = object_in(event, "response")
        self.has_ended = True
        # Copies of the API may not end their items.
        return [*self._blocks.end_thought(), *self._blocks.end_text()]

    def _fail(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        self._response = object_in(event, "response")
        raise self._errors.reported(self._response.get("error"))

    def _report(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        # Some servers nest the complaint in `error`.
        raise self._errors.reported(event.get("error") or {**event, "type": ""})


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=count_in(usage, "input_tokens"),
        output_tokens=count_in(usage, "output_tokens"),
        cached_tokens=count_in(usage.get("input_tokens_details"), "cached_tokens"),
        reasoning_tokens=count_in(usage.get("output_tokens_details"), "reasoning_tokens"),
        cache_write_tokens=count_in(usage.get("input_tokens_details"), "cache_write_tokens"),
    )
