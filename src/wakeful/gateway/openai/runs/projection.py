"""Folds the log of a session into the stream of one run and the run object. A pure fold, like that of a response."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import msgspec

from wakeful.gateway.openai.failure import run_error
from wakeful.gateway.openai.fields.common_fields import FailureDetails, IncompleteDetails
from wakeful.gateway.openai.frames import NumberedFrame
from wakeful.gateway.openai.runs.run import (
    Run,
    RunApprovalRequired,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    RunMessageDelta,
    RunStepAbandoned,
    RunToolCompleted,
    RunToolStarted,
)
from wakeful.gateway.openai.spoken_text import SpokenText
from wakeful.gateway.openai.usage import UsageSum
from wakeful.model import event as events
from wakeful.model.approvals.approval import Choice
from wakeful.model.event import Event, StreamItem, spoken
from wakeful.model.words import TOKEN, Word, WordsEnd

_Status = Literal["queued", "running", "completed", "failed", "cancelled"]
_STATUS: Mapping[str, _Status] = {events.DONE: "completed", events.FAILED: "failed", events.CANCELLED: "cancelled"}
_ENDS = {"completed": RunCompleted, "failed": RunFailed, "cancelled": RunCancelled}
# For questions in logs of older versions, which offered every choice.
_OLD_CHOICES = list(Choice)

# Makes a stream event of its number and its time.
_MakeEvent = Callable[..., RunEvent]


class RunProjection:
    """Takes the log of the whole session, because questions are events of the session and not of a turn. It ignores
    other turns, and questions that were asked before its turn began.
    """

    def __init__(self, run_id: str, turn_id: str) -> None:
        self._run_id = run_id
        self._turn_id = turn_id
        self._status: _Status = "queued"
        self._text = SpokenText()
        self._usage = UsageSum()
        # The names of the tools, by call id.
        self._tools: dict[str, str] = {}
        self._error: FailureDetails | None = None
        self._incomplete_reason: str | None = None
        # The number of the next frame.
        self._number = 0
        # The words that no event has ended yet, and the number of the first frame that they may make.
        self._words: list[Word] = []
        self._words_from = 0
        # When the last fact of its turn was logged. Words have no time, so their frames get this one.
        self._fact_at = 0.0

    @property
    def is_ended(self) -> bool:
        return self._status in _STATUS.values()

    def feed(self, item: StreamItem) -> list[NumberedFrame]:
        if isinstance(item, Word):
            return self._say(item) if item.head.turn_id == self._turn_id else []
        if self._status == "queued" and item.turn_id == self._turn_id:
            self._status = "running"
        if self._status != "running" or item.turn_id not in (None, self._turn_id):
            return []
        if item.turn_id is not None:
            self._fact_at = item.at
            self._end_words(item.ends)
        make = self._event(item)
        return [] if make is None else [self._frame(item.at, make)]

    def run(self) -> Run:
        reason = self._incomplete_reason
        return Run(
            run_id=self._run_id,
            status=self._status,
            output=self._text.whole,
            usage=self._usage.of_response() if self.is_ended else None,
            error=self._error,
            incomplete_details=None if reason is None else IncompleteDetails(reason=reason),
        )

    def _say(self, word: Word) -> list[NumberedFrame]:
        if not self._words:
            self._words_from = self._number
        self._words.append(word)
        make = self._spoken(word.kind, word.head.step, word.text)
        return [] if make is None else [self._frame(self._fact_at, make)]

    def _end_words(self, ends: WordsEnd | None) -> None:
        """Drop words that the log does not have. Skip all numbers that they may have had, so readers that saw different
        numbers of them agree again.
        """
        if ends is not None and ends.void:
            self._number = (self._words_from if self._words else self._number) + ends.void
        if ends is not None and len(self._words) > ends.count:
            kept = sum(word.kind == TOKEN for word in self._words[: ends.count])
            self._text.keep(self._words[0].head.step, kept)
        self._words = []

    def _spoken(self, kind: str, step: int, text: str) -> _MakeEvent | None:
        if kind != TOKEN:
            return None
        self._text.add(step, text)
        return partial(RunMessageDelta, run_id=self._run_id, step=step, delta=text)

    def _event(self, event: Event) -> _MakeEvent | None:
        """Return a maker of the stream event for this event of the log, or None if there is none."""
        if (piece := spoken(event)) is not None:
            return self._spoken(*piece)
        data = event.data
        match event.kind:
            case events.STEP_ABANDONED:
                self._text.drop(data["step"])
                return partial(RunStepAbandoned, run_id=self._run_id, step=data["step"])
            case events.TOOL:
                self._tools[data["call_id"]] = data["name"]
                return partial(RunToolStarted, **self._call(data), arguments=data["arguments"])
            case events.TOOL_COMPLETE:
                # Older logs do not have is_error.
                ended = {"is_error": data.get("is_error", False), "duration": data["seconds"]}
                return partial(RunToolCompleted, **self._call(data), result=data["result"], **ended)
            case events.APPROVAL_REQUIRED:
                asked = {key: data[key] for key in ("call_id", "command", "reason", "expires_at")}
                choices = data.get("choices", _OLD_CHOICES)
                return partial(RunApprovalRequired, run_id=self._run_id, **asked, choices=choices)
            case events.USAGE:
                self._usage.add(data["usage"])
            case events.DONE | events.FAILED | events.CANCELLED:
                return self._end(event.kind, data)
        return None

    def _call(self, data: dict[str, Any]) -> dict[str, Any]:
        call_id = data["call_id"]
        return {"run_id": self._run_id, "step": data["step"], "call_id": call_id, "tool": self._tools[call_id]}

    def _end(self, kind: str, data: dict[str, Any]) -> _MakeEvent:
        self._status = _STATUS[kind]
        self._incomplete_reason = data.get("incomplete")
        if kind == events.FAILED:
            self._error = run_error(data)
        return partial(_ENDS[self._status], **msgspec.structs.asdict(self.run()))

    def _frame(self, at: float, make: _MakeEvent) -> NumberedFrame:
        number = self._number
        self._number += 1
        event = make(sequence_number=number, timestamp=at)
        return NumberedFrame(number, event.event, msgspec.json.encode(event))
