"""Folds the log of a turn into the stream of a response, and into the response object at any moment. The fold is pure,
with no clock, randomness or database, so every replay gives the same frames with the same numbers.
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
from wakeful.model.api.request import FUNCTION_CALL
from wakeful.model.event import Event, StreamItem, spoken
from wakeful.model.words import Word, WordsEnd

# How many frames words make besides one for each word: two open each item, and three close the reasoning before the
# message.
_FRAMES_AROUND_WORDS = 2 * ITEMS_OF_WORDS + 3


class ResponseProjection:
    def __init__(self, facts: ResponseFacts, request: Mapping[str, Any]) -> None:
        self._form = ResponseForm(facts, request)
        self._state = ResponseState("queued" if facts.is_background else "in_progress")
        self._output = ResponseOutput(facts.id.partition("_")[2])
        self._has_pairs = facts.tool_items == FUNCTION_CALL
        self._usage = UsageSum()
        # The number of the next frame.
        self._number = 0
        # The number of the last frame; after lost words the next frame's is higher by more than one.
        self._last_number = -1
        # The number of the first frame of the words that no event has ended yet.
        self._words_from: int | None = None

    def feed(self, item: StreamItem) -> list[NumberedFrame]:
        if isinstance(item, Word):
            begun = [] if self._words_from is not None else self._begin_words(item.head.step)
            return begun + self._say(item.kind, item.text)
        frames = [] if self._number else self._begin()
        frames += self._end_words(item.ends)
        if (piece := spoken(item)) is not None:
            kind, step, text = piece
            return frames + self._frames(self._output.enter(step)) + self._say(kind, text)
        return frames + self._take(item)

    def response(self) -> ResponseObject:
        return self._form.fill(self._state, self._output.data())

    def snapshot(self) -> NumberedFrame:
        """Return the present state, for a client that joins by an idempotency key. The frame has the number of the last
        one that it includes, and is not part of the replayable stream.
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
        text_item, before = self._output.say(kind, text)
        frames = self._frames(before)
        frames.append(text_item.delta.frame(self._take_number(), text))
        return frames

    def _end_words(self, ends: WordsEnd | None) -> list[NumberedFrame]:
        frames = [] if ends is None or not ends.void else self._lose_words(ends)
        self._output.end_words()
        self._words_from = None
        return frames

    def _lose_words(self, ends: WordsEnd) -> list[NumberedFrame]:
        """Skip all numbers that the lost words may have had, so every reader continues with the same one, however many
        of those words it saw.
        """
        frames = [] if self._words_from is not None else self._begin_unseen_words(ends.step)
        assert self._words_from is not None
        after_words = self._words_from + ends.void + _FRAMES_AROUND_WORDS
        for index, event in self._output.lose_words(ends.count):
            self._number = after_words + index
            frames.append(self._frame(event))
        self._number = after_words + ITEMS_OF_WORDS
        return frames

    def _begin_unseen_words(self, step: int) -> list[NumberedFrame]:
        """Begin words of which this reader saw none. Words of the step that an older version logged as events are not
        lost: close their items.
        """
        frames = self._frames(self._output.enter(step))
        frames += self._frames(self._output.finish_texts(INCOMPLETE))
        return frames + self._begin_words(step)

    def _take(self, event: Event) -> list[NumberedFrame]:
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
                add = self._output.call if self._has_pairs or data.get("client", False) else self._output.serve
                return add(data["step"], data["call_id"], data["name"], data["arguments"])
            case events.TOOL_COMPLETE:
                # Older logs do not have is_error.
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

    def _frames(self, unnumbered: Iterable[UnnumberedEvent]) -> list[NumberedFrame]:
        return [self._frame(event) for event in unnumbered]

    def _frame(self, unnumbered: UnnumberedEvent) -> NumberedFrame:
        type_, data = unnumbered
        number = self._take_number()
        event = EVENTS[type_](type=type_, sequence_number=number, **data)
        return NumberedFrame(number, type_, msgspec.json.encode(event))

    def _take_number(self) -> int:
        self._last_number = self._number
        self._number += 1
        return self._last_number
