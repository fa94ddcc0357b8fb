"""What is told of a session as the stream of one run, and as the run object. A pure fold, like a response's."""

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
# Of questions in logs of older versions, which had all of them.
_OLD_CHOICES = list(Choice)

# An event that lacks its number and its time.
_News = Callable[..., RunEvent]


class RunProjection:
    """Questions are events of the session and not of the turn, so it is fed with all that is told of the session. What
    is another turn's, or was asked before this one began, is passed over.
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
        # Of the next frame.
        self._number = 0
        # The words that no event has ended yet, and the number of the first frame that these may make.
        self._words: list[Word] = []
        self._words_from = 0
        # When the last fact of its turn was written down: words have no time of their own.
        self._fact_at = 0.0

    @property
    def is_ended(self) -> bool:
        return self._status in _STATUS.values()

    def feed(self, told: StreamItem) -> list[NumberedFrame]:
        if isinstance(told, Word):
            return self._say(told) if told.head.turn_id == self._turn_id else []
        if self._status == "queued" and told.turn_id == self._turn_id:
            self._status = "running"
        if self._status != "running" or told.turn_id not in (None, self._turn_id):
            return []
        if told.turn_id is not None:
            self._fact_at = told.at
            self._end_words(told.ends)
        news = self._news(told)
        return [] if news is None else [self._frame(told.at, news)]

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
        news = self._spoken(word.kind, word.head.step, word.text)
        return [] if news is None else [self._frame(self._fact_at, news)]

    def _end_words(self, ends: WordsEnd | None) -> None:
        """Numbers that lost words may have had are skipped, whatever this reader has seen of them."""
        if ends is not None and ends.void:
            self._number = (self._words_from if self._words else self._number) + ends.void
        if ends is not None and len(self._words) > ends.count:
            kept = sum(word.kind == TOKEN for word in self._words[: ends.count])
            self._text.keep(self._words[0].head.step, kept)
        self._words = []

    def _spoken(self, kind: str, step: int, text: str) -> _News | None:
        if kind != TOKEN:
            return None
        self._text.add(step, text)
        return partial(RunMessageDelta, run_id=self._run_id, step=step, delta=text)

    def _news(self, event: Event) -> _News | None:
        """The event of the stream that this event of the log makes, if it makes one."""
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
                # Older logs do not say how a call went.
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

    def _end(self, kind: str, data: dict[str, Any]) -> _News:
        self._status = _STATUS[kind]
        self._incomplete_reason = data.get("incomplete")
        if kind == events.FAILED:
            self._error = run_error(data)
        return partial(_ENDS[self._status], **msgspec.structs.asdict(self.run()))

    def _frame(self, at: float, news: _News) -> NumberedFrame:
        number = self._number
        self._number += 1
        event = news(sequence_number=number, timestamp=at)
        return NumberedFrame(number, event.event, msgspec.json.encode(event))
