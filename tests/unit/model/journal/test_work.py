"""What a sub-agent does now, in a line."""

import pytest

from wakeful.model.journal.entry import Entry, answer_entry, input_entry, result_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.journal.work import SubAgentWork, call_or_words
from wakeful.model.spend import Spend


def _answer(text: str, *arguments: str) -> Entry:
    calls = tuple(ToolCall(f"c{number}", "look", given) for number, given in enumerate(arguments, start=1))
    return answer_entry("t1", Answered(1, AssistantMessage(text, calls=calls), Usage()))


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{"timeout": 9, "cwd": "/w", "command": "make\\n\\ttest"}', "make test"),
        ('{"path": "a.py", "command": "cat"}', "cat"),
        ('{"path": 7, "goal": "win"}', "win"),
        ('{"depth": 2, "of": "this"}', "this"),
        ('{"depth": 2}', ""),
        ('{"comm', '{"comm'),
        ('["a"]', '["a"]'),
        ('{"command": "%s"}' % ("x" * 160), "x" * 160),
        ('{"command": "%s"}' % ("x" * 161), "x" * 159 + "…"),
    ],
)
def test_a_call_is_summed_up_by_one_argument(arguments: str, shown: str) -> None:
    assert call_or_words([_answer("", arguments)]) == ("look", shown, "")


def test_the_first_call_without_a_result_is_what_runs() -> None:
    answer = _answer("Two looks.", '{"path": "a"}', '{"path": "b"}')
    first, second = (result_entry("t1", 1, index, call_id=f"c{index}", text="seen", seconds=0.1) for index in (1, 2))

    assert call_or_words([answer]) == ("look", "a", "Two looks.")
    assert call_or_words([answer, first]) == ("look", "b", "Two looks.")
    assert call_or_words([answer, second]) == ("look", "a", "Two looks.")
    assert call_or_words([answer, first, second]) == ("", "", "Two looks.")


def test_of_long_words_the_end_is_shown() -> None:
    _, _, shown = call_or_words([_answer("a" * 1000 + " The end\nof it " + "b" * 140)])

    assert shown == "…aaaa The end of it " + "b" * 140


def test_a_step_without_an_answer_says_nothing() -> None:
    assert call_or_words([input_entry("t1", 0, 0, {"text": "go"})]) == ("", "", "")


def test_a_sub_agent_that_has_just_begun_has_done_nothing() -> None:
    work = SubAgentWork(*call_or_words([]))

    assert (work.tool, work.argument, work.words) == ("", "", "")
    assert (work.steps, work.sub_agents, work.spend) == (0, 0, Spend())
