"""A turn as it is printed to a terminal and to a pipe."""

import io
from typing import Any

import pytest

from wakeful.cli.asking.answer_printer import AnswerPrinter, exit_code_of
from wakeful.errors import TurnFailed


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


def test_another_model_that_answers_is_remarked() -> None:
    change = {"step": 1, "from": "a:one", "to": "b:two", "code": "x", "message": "No credit."}

    assert printed(("model_changed", change))[1] == "[b:two answers instead of a:one: No credit.]\n"


def test_a_new_step_begins_a_new_line_and_words_of_one_step_do_not() -> None:
    assert printed(token(1, "a"), token(1, "b"), token(2, "c"), ("cancelled", {}))[0] == "ab\nc\n"


@pytest.mark.parametrize(("length", "shown"), [(97, "[" + "x" * 97 + " ]"), (98, "[" + "x" * 98 + " …]")])
def test_a_remark_is_cut_only_where_it_is_too_long(length: int, shown: str) -> None:
    assert printed(("tool", {"name": "x" * length, "arguments": ""}))[1] == f"{shown}\n"


def test_words_are_seen_at_once() -> None:
    class Flushed(io.StringIO):
        seen = ""

        def flush(self) -> None:
            self.seen = self.getvalue()

    answers, remarks = Flushed(), Flushed()
    printer = AnswerPrinter(answers, remarks)
    printer.show(*token(1, "Hel"))
    assert answers.seen == "Hel"
    printer.show("tool", {"name": "ls", "arguments": "{}"})

    assert (answers.seen, remarks.seen) == ("Hel\n", "[ls {}]\n")


def test_only_a_turn_that_is_done_ends_well() -> None:
    assert exit_code_of("done", {}) == 0
    with pytest.raises(TurnFailed, match="No credit") as failed:
        exit_code_of("failed", {"message": "No credit.", "code": "model_credit"})
    assert failed.value.code == "model_credit"
