"""The events that a turn emits for what it does; the same for stored and unstored turns."""

from dataclasses import replace
from typing import Any

from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.journal.fact import (
    Answered,
    CallFinished,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    ModelChanged,
    StepAbandoned,
    Wasted,
)
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import WordsEnd

_FINAL_EVENT = {
    TurnStatus.DONE: events.DONE,
    TurnStatus.FAILED: events.FAILED,
    TurnStatus.CANCELLED: events.CANCELLED,
}


def started(turn: Turn) -> NewEvent:
    data = {"turn_id": turn.id, "session_id": turn.session_id, "source": turn.source, "parent": turn.parent}
    return NewEvent.of(events.TURN_STARTED, data)


def ended(turn: Turn, outcome: Outcome, ends: WordsEnd | None = None) -> NewEvent:
    data = {"turn_id": turn.id, "session_id": turn.session_id}
    if outcome.code:
        data |= {"code": outcome.code, "message": outcome.message}
    if outcome.incomplete:
        data["incomplete"] = outcome.incomplete
    return NewEvent.of(_FINAL_EVENT[outcome.status], data, ends)


# What a compaction yields.
Compaction = CompactionStarted | Compacted | CompactionFailed


def events_of(
    turn_id: str, fact: Answered | CallFinished | ModelChanged | StepAbandoned | Wasted | Compaction
) -> list[NewEvent]:
    match fact:
        case Wasted():
            return []
        case StepAbandoned():
            return [abandoned(fact)]
        case ModelChanged():
            return [model_changed(fact)]
        case Answered():
            return answered(fact)
        case CallFinished():
            return [call_finished(fact)]
        case _:
            return [compaction(turn_id, fact)]


def abandoned(fact: StepAbandoned, ends: WordsEnd | None = None) -> NewEvent:
    return NewEvent.of(events.STEP_ABANDONED, {"step": fact.step}, ends)


def model_changed(fact: ModelChanged) -> NewEvent:
    return NewEvent.of(events.MODEL_CHANGED, fact.fields)


def answered(fact: Answered, ends: WordsEnd | None = None) -> list[NewEvent]:
    """Return the events of an answer: its calls, then its usage. The first one carries `ends`."""
    calls = [_called(fact, index) for index in range(1, len(fact.message.calls) + 1)]
    first, *rest = [*calls, _used(fact)]
    return [replace(first, ends=ends), *rest]


def call_finished(fact: CallFinished) -> NewEvent:
    data: dict[str, Any] = {
        "step": fact.step,
        "call_id": fact.call.id,
        "result": fact.text,
        "seconds": fact.seconds,
        "is_error": fact.is_error,
        "changes": [change.fields for change in fact.changes],
    }
    if fact.shows:
        data["attachments"] = [shown.shown for shown in fact.shows]
    if fact.consumes:
        # Background tasks whose end this result has shown: they get no notice.
        data["consumed"] = fact.consumes
    return NewEvent.quoting(events.TOOL_COMPLETE, data, fact.step, fact.index)


def compaction(turn_id: str, fact: Compaction) -> NewEvent:
    data: dict[str, Any] = {"turn_id": turn_id, "step": fact.step}
    match fact:
        case CompactionStarted():
            data |= {"reason": fact.reason, "context_tokens": fact.context_tokens}
            return NewEvent.of(events.COMPACTION_STARTED, data)
        case CompactionFailed():
            data |= {"reason": fact.reason, "context_tokens": fact.context_tokens, "message": fact.message}
            return NewEvent.of(events.COMPACTION_FAILED, data)
        case Compacted(summary=summary):
            tokens = {"tokens_before": summary.tokens_before, "tokens_after": summary.tokens_after}
            data |= {"message_id": f"{turn_id}.{fact.step}.0", "model": summary.model or None, **tokens}
            return NewEvent.of(events.COMPACTION_DONE, data)


def _used(fact: Answered) -> NewEvent:
    data = {"step": fact.step, "model": fact.model, "usage": fact.usage, "cost_usd": fact.cost_usd}
    return NewEvent.of(events.USAGE, data)


def _called(fact: Answered, index: int) -> NewEvent:
    call = fact.message.calls[index - 1]
    data: dict[str, Any] = {
        "step": fact.step,
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    }
    if index in fact.client_calls:
        data["client"] = True
    return NewEvent.quoting(events.TOOL, data, fact.step, index)
