"""A turn's events as the stream of a response, and as the response object at any moment. A pure fold: no clock, no
chance, no database, so that every replay gives the same frames with the same numbers.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from wakeful.gateway.openai.failure import response_error
from wakeful.gateway.openai.frames import Frame
from wakeful.gateway.openai.items import COMPLETED, INCOMPLETE
from wakeful.gateway.openai.output import Output, Part
from wakeful.gateway.openai.response_object import ResponseFacts, ResponseForm, ResponseState
from wakeful.gateway.openai.usage import UsageSum
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.request import FUNCTION_CALL


class ResponseProjection:
    def __init__(self, facts: ResponseFacts, request: Mapping[str, Any]) -> None:
        self._form = ResponseForm(facts, request)
        self._state = ResponseState("queued" if facts.is_background else "in_progress")
        self._output = Output(facts.id.partition("_")[2])
        self._has_pairs = facts.tool_items == FUNCTION_CALL
        self._usage = UsageSum()
        self._count = 0

    def feed(self, event: Event) -> list[Frame]:
        frames = [] if self._count else self._begin()
        match event.kind:
            case events.TOKEN | events.REASONING | events.TOOL | events.TOOL_COMPLETE | events.STEP_ABANDONED:
                frames += map(self._frame, self._grow(event.kind, event.data))
            case events.USAGE:
                self._usage.add(event.data["usage"])
            case events.DONE | events.FAILED | events.CANCELLED:
                frames += self._end(event)
        return frames

    def response(self) -> dict[str, Any]:
        return self._form.fill(self._state, self._output.data())

    def snapshot(self) -> Frame:
        """How things stand, for whoever joins by an idempotency key. It has the number of the last frame that it
        includes, and is no frame of the log.
        """
        number = self._count - 1
        data = {"type": "response.snapshot", "sequence_number": number, "response": self.response()}
        return Frame(number, "response.snapshot", orjson.dumps(data))

    def _begin(self) -> list[Frame]:
        frames = [self._stage("created")]
        if self._state.status == "queued":
            frames.append(self._stage("queued"))
            self._state.status = "in_progress"
        return [*frames, self._stage("in_progress")]

    def _grow(self, kind: str, data: dict[str, Any]) -> Iterable[Part]:
        match kind:
            case events.TOKEN:
                return self._output.say(data["step"], data["text"])
            case events.REASONING:
                return self._output.reason(data["step"], data["text"])
            case events.TOOL:
                tell = self._output.call if self._has_pairs or data.get("client", False) else self._output.serve
                return tell(data["step"], data["call_id"], data["name"], data["arguments"])
            case events.TOOL_COMPLETE:
                # Older logs do not say how a call went.
                return self._output.result(data["call_id"], data["result"], is_error=data.get("is_error", False))
            case _:
                return self._output.abandon(data["step"])

    def _end(self, event: Event) -> list[Frame]:
        state = self._state
        self._settle(event)
        open_items = COMPLETED if state.status == "completed" else INCOMPLETE
        frames = [self._frame(part) for part in self._output.finish(open_items)]
        if state.error is not None:
            frames.append(self._frame(("error", {**state.error, "param": None})))
        return [*frames, self._stage(state.status)]

    def _settle(self, event: Event) -> None:
        state = self._state
        state.usage = self._usage.of_response()
        if event.kind == events.FAILED:
            state.status, state.error = "failed", response_error(event)
        elif event.kind == events.CANCELLED:
            state.status = "cancelled"
        elif reason := event.data.get("incomplete"):
            state.status, state.incomplete_reason = "incomplete", reason
        else:
            state.status, state.completed_at = "completed", int(event.at)

    def _stage(self, name: str) -> Frame:
        return self._frame((f"response.{name}", {"response": self.response()}))

    def _frame(self, part: Part) -> Frame:
        type_, data = part
        number = self._count
        self._count += 1
        return Frame(number, type_, orjson.dumps({"type": type_, "sequence_number": number, **data}))
