"""Summaries and measures: what a model reads of them, and what they are worth."""

from dataclasses import replace

import pytest

from wakeful.model.journal.fact import Measure
from wakeful.model.journal.message import SummaryMessage, SystemMessage, Usage
from wakeful.model.journal.summary import CompactionReason, Summary

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
