"""Summaries and measures: what a model reads of them, and what they are worth."""

from dataclasses import replace

import pytest

from tests.store.nouns import a_turn
from wakeful.model.journal.fact import Answered, Brief, CallFinished, Measure, ModelChanged
from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    SummaryMessage,
    SystemMessage,
    ToolCall,
    Usage,
)
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.spend import Spend

PLAIN = Summary("All is built.", "", (), (), (), CompactionReason.AUTO, 1000, 100, "a:big", Usage(7, 3))


def test_a_summary_says_what_it_has_and_nothing_of_what_it_has_not() -> None:
    heads = [part.split("]")[0] for part in PLAIN.text.split("\n\n") if part.startswith("[")]
    assert heads == ["[A summary of the conversation so far. It replaces the messages that it is about."]
    assert PLAIN.text.endswith("\n\nAll is built.")

    whole = replace(PLAIN, said=("Build it.", "Test it."), todo=("- 1", "- 2"), work=("make", "test")).text

    parts = [part for part in whole.split("\n\n") if not part.startswith("[")]
    assert parts == ["All is built.", "Build it.", "Test it.", "- 1\n- 2", "make\ntest"]
    assert whole.count("\n\n[") == 3


def test_a_summary_without_a_model_says_so() -> None:
    assert "no model could write one" in replace(PLAIN, model="").text


@pytest.mark.parametrize(("after", "is_vain"), [(100, False), (900, False), (901, True), (1500, True)])
def test_a_summary_that_frees_little_is_in_vain(after: int, is_vain: bool) -> None:
    assert replace(PLAIN, tokens_after=after).is_vain == is_vain


def test_instructions_stay_instructions() -> None:
    system, summary = replace(PLAIN, instructions=("Be kind.",)).messages("t1.2.0")

    assert isinstance(system, SystemMessage)
    assert isinstance(summary, SummaryMessage)
    assert (system.text, system.origin, summary.origin) == ("Be kind.", "t1.2.0", "t1.2.0")
    assert (summary.text, summary.words) == (PLAIN.text, "All is built.")


def test_the_context_begins_with_what_is_kept() -> None:
    assert replace(PLAIN, keeps_from="t7.2.0").context_turn("t9") == "t7"
    assert PLAIN.context_turn("t9") == "t9"


def test_an_answer_measures_the_context_unless_its_endpoint_does_not_count() -> None:
    assert Measure(5, 1).after(Usage(10, 4), 3) == Measure(14, 3)
    assert Measure(5, 1).after(Usage(0, 4), 3) == Measure(5, 1)


def test_usage_adds_up_and_is_paid_for_in_three_ways() -> None:
    one, two = Usage(10, 4, 3, 2, 1), Usage(1, 1, 1, 1, 1)

    assert one.plus(two) == Usage(11, 5, 4, 3, 2)
    assert one.paid_tokens == (7, 3, 4)
    # An endpoint has miscounted.
    assert Usage(2, 4, 3).paid_tokens == (0, 2, 4)


def test_what_is_not_said_of_a_turn_is_nothing() -> None:
    brief = Brief(a_turn(), (), 0, (), False, False, 0, _no_inputs)
    answered = Answered(1, AssistantMessage("Yes."), Usage(3, 2), cost_usd=0.5)
    changed = ModelChanged(1, "a:big", "b:small", "model_credit", "no credit")

    assert (brief.calls_made, brief.summaries, brief.vain_summaries) == (0, 0, 0)
    assert brief.measure.after(Usage(), 1) == Measure(0, 0)
    assert (answered.is_cut, answered.spend) == (False, Spend(3, 2, 0.5))
    assert changed.fields["from"] == "a:big"
    assert not CallFinished(1, 1, ToolCall("c1", "look", "{}"), "seen", 0.1).is_error


async def _no_inputs(step: int, index: int) -> list[Message]:
    return []


async def test_a_turn_that_says_nothing_of_them_has_no_work_no_list_and_no_cap() -> None:
    brief = Brief(a_turn(), (), 0, (), False, False, 0, _no_inputs)

    await brief.check_spend()
    assert (await brief.running_work(), await brief.todo()) == ((), ())
