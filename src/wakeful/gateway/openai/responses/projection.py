"""What is told of a turn as the stream of a response, and as the response object at any moment. A pure fold: no clock,
no chance, no database, so that every replay gives the same frames with the same numbers.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from wakeful.gateway.openai.failure import response_error
from wakeful.gateway.openai.frames import NumberedFrame
from wakeful.gateway.openai.items.output import ITEMS_OF_WORDS, ResponseOutput, UnnumberedEvent
from wakeful.gateway.openai.items.output_items import COMPLETED, INCOMPLETE
from wakeful.gateway.openai.responses.events import EVENTS, StageEvent
from wakeful.gateway.openai.responses.response import ResponseFacts, ResponseForm, ResponseObject, ResponseState
from wakeful.gateway.openai.usage import UsageSum
from wakeful.model import event as events
from wakeful.model.event import Event, StreamItem, spoken
from wakeful.model.request import FUNCTION_CALL
from wakeful.model.words import Word, WordsEnd

# The frames that words make beside one for each of them: two to open each item, and three to close the reasoning
# before the message.
_FRAMES_AROUND_WORDS = 2 * ITEMS_OF_WORDS + 3


class ResponseProjection:
    def __init__(self, facts: ResponseFacts, request: Mapping[str, Any]) -> None:
        self._form = ResponseForm(facts, request)
        self._state = ResponseState("queued" if facts.is_background else "in_progress")
        self._output = ResponseOutput(facts.id.partition("_")[2])
        self._has_pairs = facts.tool_items == FUNCTION_CALL
        self._usage = UsageSum()
        # Of the next frame.
        self._number = 0
        # Of the last one; after words that were lost it is not the one before the next.
        self._last_number = -1
        # Of the first frame of the words that no event has ended yet.
        self._words_from: int | None = None

    def feed(self, told: StreamItem) -> list[NumberedFrame]:
        if isinstance(told, Word):
            begun = [] if self._words_from is not None else self._begin_words(told.head.step)
            return begun + self._say(told.kind, told.text)
        frames = [] if self._number else self._begin()
        frames += self._end_words(told.ends)
        if (piece := spoken(told)) is not None:
            kind, step, text = piece
            return frames + self._frames(self._output.enter(step)) + self._say(kind, text)
        return frames + self._go_on(told)

    def response(self) -> ResponseObject:
        return self._form.fill(self._state, self._output.data())

    def snapshot(self) -> NumberedFrame:
        """How things stand, for a client that joins by an idempotency key. It has the number of the last frame that it
        includes, and is no frame of the log.
        """
        number = self._last_number
        event = StageEvent(type="response.snapshot", sequence_number=number, response=self.response())
        return NumberedFrame(number, "response.snapshot", msgspec.json.encode(event))

    def _begin(self) -> list[NumberedFrame]:
        frames = [self._stage("created")]
        if self._state.status == "queued":
            frames.append(self._stage("queued"))
            self._state.status = "in_progress"
        return [*frames, self._stage("in_progress")]

    def _begin_words(self, step: int) -> list[NumberedFrame]:
        frames = self._frames(self._output.enter(step))
        self._words_from = self._number
        self._output.begin_words()
        return frames

    def _say(self, kind: str, text: str) -> list[NumberedFrame]:
        item, before = self._output.say(kind, text)
        frames = self._frames(before)
        frames.append(item.delta.frame(self._take_number(), text))
        return frames

    def _end_words(self, ends: WordsEnd | None) -> list[NumberedFrame]:
        frames = [] if ends is None or not ends.void else self._lose_words(ends)
        self._output.end_words()
        self._words_from = None
        return frames

    def _lose_words(self, ends: WordsEnd) -> list[NumberedFrame]:
        """Skip every number that the lost words may have had, whatever this reader has seen of them: all readers go on
        with the same one.
        """
        frames = [] if self._words_from is not None else self._begin_unheard(ends.step)
        assert self._words_from is not None
        after_words = self._words_from + ends.void + _FRAMES_AROUND_WORDS
        for place, part in self._output.lose_words(ends.count):
            self._number = after_words + place
            frames.append(self._frame(part))
        self._number = after_words + ITEMS_OF_WORDS
        return frames

    def _begin_unheard(self, step: int) -> list[NumberedFrame]:
        """Words that this reader has seen none of. What an older version has written down of their step is in the log,
        and no part of what is lost.
        """
        frames = self._frames(self._output.enter(step))
        frames += self._frames(self._output.finish_texts(INCOMPLETE))
        return frames + self._begin_words(step)

    def _go_on(self, event: Event) -> list[NumberedFrame]:
        match event.kind:
            case events.TOOL | events.TOOL_COMPLETE | events.STEP_ABANDONED:
                return self._frames(self._grow(event.kind, event.data))
            case events.USAGE:
                self._usage.add(event.data["usage"])
            case events.DONE | events.FAILED | events.CANCELLED:
                return self._end(event)
        return []

    def _grow(self, kind: str, data: dict[str, Any]) -> Iterable[UnnumberedEvent]:
        match kind:
            case events.TOOL:
                tell = self._output.call if self._has_pairs or data.get("client", False) else self._output.serve
                return tell(data["step"], data["call_id"], data["name"], data["arguments"])
            case events.TOOL_COMPLETE:
                # Older logs do not say how a call went.
                return self._output.result(data["call_id"], data["result"], is_error=data.get("is_error", False))
            case _:
                return self._output.abandon(data["step"])

    def _end(self, event: Event) -> list[NumberedFrame]:
        state = self._state
        self._settle(event)
        open_items = COMPLETED if state.status == "completed" else INCOMPLETE
        frames = self._frames(self._output.finish(open_items))
        if state.error is not None:
            frames.append(self._frame(("error", {"code": state.error.code, "message": state.error.message})))
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

    def _stage(self, name: str) -> NumberedFrame:
        return self._frame((f"response.{name}", {"response": self.response()}))

    def _frames(self, parts: Iterable[UnnumberedEvent]) -> list[NumberedFrame]:
        return [self._frame(part) for part in parts]

    def _frame(self, part: UnnumberedEvent) -> NumberedFrame:
        type_, data = part
        number = self._take_number()
        event = EVENTS[type_](type=type_, sequence_number=number, **data)
        return NumberedFrame(number, type_, msgspec.json.encode(event))

    def _take_number(self) -> int:
        self._last_number = self._number
        self._number += 1
        return self._last_number
