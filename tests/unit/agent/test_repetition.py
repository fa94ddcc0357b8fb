"""Calls that are made again and again."""

from typing import Any

import pytest

from wakeful.agent.repetition import Repetition
from wakeful.errors import LimitReached
from wakeful.model.journal.fact import CallFinished
from wakeful.model.journal.message import ToolCall

WAIT = ToolCall("c1", "process", '{"action": "wait"}')


def test_a_call_that_waits_may_be_made_as_often_as_the_model_likes() -> None:
    repetition = Repetition()
    for step in range(1, 20):
        assert repetition.refused([WAIT]) == {}
        repetition.note(CallFinished(step, 1, WAIT, "still running", 60.0))


LOOK, READ = ToolCall("c1", "look", "{}"), ToolCall("c2", "read", "{}")


def made(repetition: Repetition, *calls: ToolCall, text: str = "same", seconds: float = 0.1) -> list[int]:
    """Let a model make these calls, and return the numbers of those that were refused."""
    refused = repetition.refused(calls)
    for number, call in enumerate(calls, start=1):
        if number not in refused:
            repetition.note(CallFinished(1, number, call, text, seconds))
    return list(refused)


def test_the_fourth_of_equal_calls_with_equal_results_is_refused() -> None:
    repetition = Repetition()

    assert [made(repetition, LOOK) for _ in range(5)] == [[], [], [], [1], [1]]


def test_of_several_calls_only_the_repeated_one_is_refused() -> None:
    repetition = Repetition()
    for _ in range(3):
        made(repetition, LOOK)

    refused = repetition.refused([READ, LOOK])

    assert list(refused) == [2]
    assert "look was called 3 times in a row" in refused[2]


@pytest.mark.parametrize("other", [{"text": "new"}, {"seconds": 2.1}])
def test_another_result_or_a_wait_begins_anew(other: dict[str, Any]) -> None:
    repetition = Repetition()
    made(repetition, LOOK)
    made(repetition, LOOK)
    made(repetition, LOOK, **other)

    assert [made(repetition, LOOK, text="new") for _ in range(2)] == [[], []]


def test_a_call_that_was_left_out_once_begins_anew() -> None:
    repetition = Repetition()
    for _ in range(3):
        made(repetition, LOOK)
    made(repetition, READ)

    assert made(repetition, LOOK) == []


def test_the_fourth_refusal_in_a_row_ends_the_turn() -> None:
    repetition = Repetition()
    for _ in range(6):
        made(repetition, LOOK)

    with pytest.raises(LimitReached, match="same call of look again"):
        made(repetition, LOOK)


def test_a_model_that_has_done_something_else_is_forgiven() -> None:
    repetition = Repetition()
    for calls in ([LOOK] * 6, [READ], [LOOK] * 6):
        for call in calls:
            made(repetition, call)

    with pytest.raises(LimitReached):
        made(repetition, LOOK)
