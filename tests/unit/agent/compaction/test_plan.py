"""What of a context stays word for word, and whether it can be made to fit."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.agent.compaction.test_compaction import TURN, brief_with
from wakeful.agent.compaction.plan import Plan, plan_for, problem_of, size_of
from wakeful.agent.model_line import ModelLine, RestingModels
from wakeful.agent.progress import Progress
from wakeful.model.journal.fact import Measure
from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    SummaryMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from wakeful.model.journal.summary import CompactionReason

CALLING = AssistantMessage("", calls=(ToolCall("c1", "look", "{}"),))


def of_tokens(count: int) -> str:
    """A text that makes a message of so many tokens: three characters each, and four for the message."""
    return "x" * (3 * (count - 4))


def said(count: int) -> UserMessage:
    return UserMessage(of_tokens(count))


def answered(count: int) -> AssistantMessage:
    return AssistantMessage(of_tokens(count))


def progress_of(messages: list[Message], *, frame: int = 0, **details: Any) -> Progress:
    progress = Progress.of(brief_with(messages, **details), ModelLine([TURN.model], RestingModels()))
    progress.frame = frame
    return progress


def planned(
    messages: list[Message], window: int | None, reason: CompactionReason = CompactionReason.AUTO, **details: Any
) -> Plan:
    return plan_for(progress_of(messages, **details), reason, window=window, compact_at=1.0)


def test_a_quarter_of_the_room_stays_word_for_word() -> None:
    messages: list[Message] = [answered(100) for _ in range(10)]

    # A room of 800 tokens: two of the messages are its quarter.
    assert len(planned(messages, 800).kept) == 2
    assert len(planned(messages, 799).kept) == 1
    # The frame and a client's instructions leave less of it.
    assert len(planned(messages, 1_000, frame=200).kept) == 2
    assert len(planned([SystemMessage(of_tokens(100)), *messages], 900).kept) == 2


def test_where_the_window_is_unknown_a_quarter_of_the_conversation_stays() -> None:
    assert len(planned([answered(100) for _ in range(8)], None).kept) == 2


def test_what_the_user_has_just_written_stays_up_to_half_of_the_room() -> None:
    before: list[Message] = [answered(600)]

    assert planned([*before, said(400)], 800).kept == [said(400)]
    assert planned([*before, said(401)], 800).kept == []
    assert planned([*before, replace(said(400), is_notice=True)], 800).kept == []
    assert planned([*before, SummaryMessage(of_tokens(400))], 800).kept == []


def test_a_result_stays_only_with_its_call() -> None:
    result = ToolMessage("c1", of_tokens(96))

    assert planned([answered(1_000), CALLING, result], 800).kept == [CALLING, result]
    assert planned([answered(1_000), CALLING, ToolMessage("c1", of_tokens(198))], 800).kept == []


def test_after_an_overflow_less_is_aimed_at_than_was_refused() -> None:
    messages: list[Message] = [answered(100) for _ in range(10)]

    assert planned(messages, None, CompactionReason.OVERFLOW).room == 750
    assert planned(messages, 5_000, CompactionReason.OVERFLOW).room == 750
    assert planned(messages, 500, CompactionReason.OVERFLOW).room == 500


def test_the_users_newest_words_are_repeated_as_far_as_there_is_room() -> None:
    notice = UserMessage("a program's words", is_notice=True)
    older = SummaryMessage("[shown]", said=("first", "second"))
    messages: list[Message] = [older, notice, UserMessage("third"), answered(900), UserMessage("fourth"), answered(400)]

    assert replace(planned(messages, 800), keep=6).said() == ("first", "second", "third", "fourth")
    # A third of the room: 800 characters, of which the newest words take nearly all.
    long = planned([UserMessage("old"), UserMessage("y" * 700), answered(900), answered(400)], 800)
    assert replace(long, keep=4).said() == ("y" * 700,)
    cut = replace(planned([UserMessage("z" * 5_000), answered(900)], 800), keep=2).said()
    assert "characters …]" in cut[0]
    assert len(cut[0]) <= 800


def test_the_summary_has_a_quarter_of_the_room_and_no_more_than_is_read() -> None:
    messages: list[Message] = [answered(1_000)]

    assert planned(messages, 800).words_limit == 600
    assert planned(messages, 1_000_000).words_limit == 12_000


def test_a_count_that_is_far_from_the_estimate_is_not_believed() -> None:
    messages: list[Message] = [answered(1_000), said(10)]

    sizes = [size_of(progress_of(messages, measure=Measure(tokens, 1))) for tokens in (7, 700, 9_000)]
    assert sizes == [1_010 // 4, 710, 4_040]
    # Without a count, the frame is a part of the estimate.
    assert size_of(progress_of(messages, frame=90)) == 1_100


def test_tokens_after_are_on_the_scale_of_those_that_were_counted() -> None:
    plan = planned([answered(1_000)], 800, measure=Measure(500, 1))

    assert (plan.tokens, plan.characters) == (500, 6.0)
    assert plan.tokens_with([answered(100)]) == 50


@pytest.mark.parametrize(
    ("messages", "window", "details", "problem"),
    [
        ([answered(500), said(10)], 500, {}, ""),
        ([answered(500), said(10)], 399, {}, "The conversation cannot be made shorter than about 510 tokens"),
        ([answered(500), said(10)], 800, {"frame": 401}, "The instructions and tools alone have about 401 tokens"),
        ([answered(500), said(10)], 800, {"frame": 400}, ""),
        ([answered(500), said(10)], 900, {"frame": 501}, "The instructions and tools alone have about 501 tokens"),
        ([answered(500), said(10)], 800, {"vain_summaries": 2}, "The conversation cannot be made shorter than about"),
        ([answered(500), said(10)], 800, {"vain_summaries": 1}, ""),
        ([answered(500), said(501)], 500, {}, "The last message alone has about 501 tokens"),
        ([answered(500), said(500)], 500, {}, ""),
        ([said(500), answered(501)], 500, {}, ""),
        ([], 500, {}, "There is nothing to sum up"),
        ([said(10)], 500, {}, "There is nothing to sum up"),
    ],
)
def test_a_context_that_cannot_fit_says_why(
    messages: list[Message], window: int, details: dict[str, Any], problem: str
) -> None:
    found = problem_of(planned(messages, window, **details), progress_of(messages, **details), window)

    assert found.startswith(problem) if problem else found == ""
    if problem and messages[1:]:
        assert f"test:model reads {window} tokens" in found
