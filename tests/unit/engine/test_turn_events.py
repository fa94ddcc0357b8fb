"""What the log of a turn says of its facts."""

from typing import Any

import orjson
import pytest

from tests.store.nouns import a_turn
from wakeful.engine.turn_events import (
    abandoned,
    answered,
    call_finished,
    compaction,
    ended,
    events_of,
    model_changed,
    started,
)
from wakeful.model.event import NewEvent
from wakeful.model.files.attachment import Attachment
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
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.packed_json import pack
from wakeful.model.spend import Spend
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.model.words import WordsEnd

CALL = ToolCall("call_1", "show", "{}")
FINISHED = CallFinished(1, 2, CALL, "Shown.", 0.5)
ENDS = WordsEnd(1, 2, 3)
CHANGED = ModelChanged(1, "demo:a", "demo:b", "model_unavailable", "down")
SUMMARY = Summary("words", "", (), (), (), CompactionReason.AUTO, 900, 40, "demo:model", Usage(7, 3), 0.25)


def data_of(event: NewEvent) -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads(event.payload)
    return data


def test_the_start_says_who_spoke_and_what_the_turn_grows_from() -> None:
    event = started(a_turn(parent="t0", source="cron"))

    assert (event.kind, data_of(event)) == (
        "turn_started",
        {"turn_id": "t1", "session_id": "s1", "source": "cron", "parent": "t0"},
    )


@pytest.mark.parametrize(
    ("outcome", "kind", "more"),
    [
        (Outcome(TurnStatus.DONE), "done", {}),
        (Outcome(TurnStatus.DONE, incomplete="max_output_tokens"), "done", {"incomplete": "max_output_tokens"}),
        (Outcome(TurnStatus.FAILED, "broken", "No."), "failed", {"code": "broken", "message": "No."}),
        (Outcome(TurnStatus.CANCELLED, "stopped", ""), "cancelled", {"code": "stopped", "message": ""}),
    ],
)
def test_the_end_says_how_it_came(outcome: Outcome, kind: str, more: dict[str, str]) -> None:
    event = ended(a_turn(), outcome, ENDS)

    assert (event.kind, event.ends) == (kind, ENDS)
    assert data_of(event) == {"turn_id": "t1", "session_id": "s1"} | more


def test_the_end_of_a_call_names_the_files_it_shows_and_the_tasks_it_has_told_of() -> None:
    picture = Attachment("att_1", "cat.png", "image/png", 3)

    ended = call_finished(CallFinished(1, 1, CALL, "Shown.", 0.5, consumes=("proc_1",), shows=(picture,)))

    data = data_of(ended)
    assert (data["result"], data["attachments"], data["consumed"]) == ("Shown.", [picture.shown], ["proc_1"])


def test_the_end_of_a_call_names_neither_where_there_are_none() -> None:
    event = call_finished(FINISHED)

    assert data_of(event) == {
        "step": 1,
        "call_id": "call_1",
        "result": "Shown.",
        "seconds": 0.5,
        "is_error": False,
        "changes": [],
    }
    assert event.quote is not None
    assert (event.quote.step, event.quote.index) == (1, 2)


def test_an_answer_is_told_by_its_calls_and_its_usage_and_the_first_of_them_ends_its_words() -> None:
    calls = (CALL, ToolCall("call_2", "ask", '{"a": 1}'))
    fact = Answered(
        3, AssistantMessage("Hi", calls=calls), Usage(10, 5), client_calls=frozenset({2}), model="demo:m", cost_usd=0.5
    )

    first, second, usage = answered(fact, ENDS)

    assert [event.kind for event in (first, second, usage)] == ["tool", "tool", "usage"]
    assert [event.ends for event in (first, second, usage)] == [ENDS, None, None]
    assert data_of(first) == {"step": 3, "call_id": "call_1", "name": "show", "arguments": "{}"}
    assert data_of(second) == {
        "step": 3,
        "call_id": "call_2",
        "name": "ask",
        "arguments": '{"a": 1}',
        "client": True,
    }
    assert [(event.quote.step, event.quote.index) for event in (first, second) if event.quote] == [(3, 1), (3, 2)]
    told = data_of(usage)
    assert (told["step"], told["model"], told["cost_usd"]) == (3, "demo:m", 0.5)
    assert told["usage"] == orjson.loads(pack({"usage": Usage(10, 5)}))["usage"]


def test_an_answer_without_calls_is_told_by_its_usage() -> None:
    (usage,) = answered(Answered(1, AssistantMessage("Hi"), Usage(1, 1)), ENDS)

    assert (usage.kind, usage.ends) == ("usage", ENDS)


def test_words_that_are_taken_back_end_with_the_event() -> None:
    event = abandoned(StepAbandoned(2), ENDS)

    assert (event.kind, data_of(event), event.ends) == ("step_abandoned", {"step": 2}, ENDS)


@pytest.mark.parametrize(
    ("fact", "kind", "more"),
    [
        (
            CompactionStarted(2, CompactionReason.AUTO, 900),
            "compaction_started",
            {"reason": "auto", "context_tokens": 900},
        ),
        (
            CompactionFailed(2, CompactionReason.OVERFLOW, 900, "too long"),
            "compaction_failed",
            {"reason": "overflow", "context_tokens": 900, "message": "too long"},
        ),
        (
            Compacted(2, SUMMARY),
            "compaction_done",
            {"message_id": "t1.2.0", "model": "demo:model", "tokens_before": 900, "tokens_after": 40},
        ),
    ],
)
def test_a_summary_is_told_from_its_start_to_its_end(
    fact: CompactionStarted | CompactionFailed | Compacted, kind: str, more: dict[str, Any]
) -> None:
    event = compaction("t1", fact)

    assert (event.kind, data_of(event)) == (kind, {"turn_id": "t1", "step": 2} | more)


def test_a_summary_that_no_model_has_made_names_none() -> None:
    without = Summary("words", "", (), (), (), CompactionReason.AUTO, 900, 40, "", Usage(0, 0))

    assert data_of(compaction("t1", Compacted(2, without)))["model"] is None


@pytest.mark.parametrize(
    ("fact", "events"),
    [
        (Wasted(1, Spend()), []),
        (StepAbandoned(1), [abandoned(StepAbandoned(1))]),
        (CHANGED, [model_changed(CHANGED)]),
        (FINISHED, [call_finished(FINISHED)]),
        (Compacted(1, SUMMARY), [compaction("t1", Compacted(1, SUMMARY))]),
    ],
)
def test_each_fact_has_its_own_events(fact: Any, events: list[NewEvent]) -> None:
    assert events_of("t1", fact) == events


def test_the_facts_of_an_answer_are_those_of_a_stored_turn() -> None:
    fact = Answered(1, AssistantMessage("Hi", calls=(CALL,)), Usage(1, 1))

    assert events_of("t1", fact) == answered(fact)
    assert data_of(model_changed(CHANGED)) == CHANGED.fields
