"""A turn as it is printed to a terminal and to a pipe."""

import io
from typing import Any

import pytest

from wakeful.cli.asking.answer_printer import AnswerPrinter


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(*frames: tuple[str, dict[str, Any]], screen: bool = False) -> tuple[str, str]:
    answers, remarks = (Screen(), Screen()) if screen else (io.StringIO(), io.StringIO())
    printer = AnswerPrinter(answers, remarks)
    for kind, data in frames:
        printer.show(kind, data)
    return answers.getvalue(), remarks.getvalue()


def token(step: int, text: str) -> tuple[str, dict[str, Any]]:
    return "token", {"step": step, "text": text}


def test_an_answer_ends_its_line() -> None:
    assert printed(token(1, "Hel"), token(1, "lo"), ("done", {})) == ("Hello\n", "")


def test_a_line_that_has_ended_is_not_ended_again() -> None:
    assert printed(token(1, "Hello\n"), ("done", {})) == ("Hello\n", "")


def test_a_turn_without_words_prints_nothing() -> None:
    assert printed(("turn_started", {}), ("usage", {}), ("done", {})) == ("", "")


def test_a_tool_call_is_one_short_remark_between_two_steps() -> None:
    arguments = '{"path": "a\nb", "content": "' + "x" * 500

    answers, remarks = printed(
        token(1, "I look."), ("tool", {"name": "write_file", "arguments": arguments}), token(2, "Done.")
    )

    assert answers == "I look.\nDone."
    assert remarks.startswith('[write_file {"path": "a b"')
    assert remarks.count("\n") == 1
    assert len(remarks) < 110


def test_a_broken_answer_is_remarked_before_the_new_one() -> None:
    answers, remarks = printed(token(1, "Half an"), ("step_abandoned", {"step": 1}), token(1, "Whole."), ("done", {}))

    assert answers == "Half an\nWhole.\n"
    assert "broke off" in remarks


def test_a_broken_answer_without_words_leaves_no_empty_line() -> None:
    answers, _ = printed(("step_abandoned", {"step": 1}), token(1, "Whole."), ("done", {}))

    assert answers == "Whole.\n"


@pytest.mark.parametrize("text", ["\x1b[2Jgone", "\x07\x9b2J", "a\rb"])
def test_a_terminal_gets_no_control_characters(text: str) -> None:
    answers, remarks = printed(token(1, text), ("tool", {"name": text, "arguments": text}), screen=True)

    assert not set("\x1b\x07\x9b\r") & set(answers + remarks)


def test_a_pipe_gets_the_text_as_it_is() -> None:
    assert printed(token(1, "\x1b[1mbold\ttab\x1b[0m\n"))[0] == "\x1b[1mbold\ttab\x1b[0m\n"


def test_an_answer_that_was_cut_at_the_output_limit_says_so() -> None:
    answers, remarks = printed(token(1, "Half an"), ("done", {"incomplete": "max_output_tokens"}))

    assert (answers, remarks) == ("Half an\n", "[the model reached its output limit: the answer stops here]\n")
