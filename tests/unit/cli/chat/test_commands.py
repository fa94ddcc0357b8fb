"""What a typed line means."""

import pytest

from wakeful.cli.chat.commands import COMMANDS, Line, LineKind, choice_in, help_lines, mode_lines, parse_line
from wakeful.model.approvals.mode import Mode


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hello\n", Line(LineKind.SAY, "hello")),
        ("two\nlines", Line(LineKind.SAY, "two\nlines")),
        ("/etc/hosts is odd", Line(LineKind.SAY, "/etc/hosts is odd")),
        ("/ alone", Line(LineKind.SAY, "/ alone")),
        ("! go left", Line(LineKind.STEER, "go left")),
        ("/steer go left", Line(LineKind.STEER, "go left")),
        ("!\nnow", Line(LineKind.STEER, "now")),
        ("/allow  a\nb", Line(LineKind.COMMAND, "a\nb", "allow")),
        ("/steer", Line(LineKind.COMMAND, "", "steer")),
        ("/resume 2 ", Line(LineKind.COMMAND, "2", "resume")),
        ("/nonsense", Line(LineKind.COMMAND, "", "nonsense")),
    ],
)
def test_lines_are_words_steering_or_commands(text: str, line: Line) -> None:
    assert parse_line(text) == line


@pytest.mark.parametrize("text", ["", " \n", "!", "! "])
def test_a_line_that_says_nothing_is_nothing(text: str) -> None:
    assert parse_line(text) is None


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("y", "once"),
        ("Yes\n", "once"),
        ("n", "deny"),
        ("Deny", "deny"),
        ("session", None),
        ("always", None),
        ("", None),
    ],
)
def test_a_question_is_answered_with_a_letter_or_a_word(text: str, choice: str | None) -> None:
    assert choice_in(text) == choice


def test_help_names_every_command_and_fits_a_usual_terminal() -> None:
    lines = help_lines()

    assert all(any(line.startswith(f"/{name}") for line in lines) for name in COMMANDS)
    assert max(map(len, lines)) <= 76


def test_modes_are_listed_under_each_other() -> None:
    lines = mode_lines()

    assert [line.split()[0] for line in lines] == list(Mode)
    assert {line.index(line.split(maxsplit=1)[1]) for line in lines} == {max(map(len, Mode)) + 2}


def test_help_stands_in_columns_and_ends_with_the_keys() -> None:
    lines = help_lines()
    commands, keys = lines[: lines.index("")], lines[lines.index("") + 1 :]

    assert commands[0] == f"{'/new':<25}begin a new session"
    assert len(commands) == len(COMMANDS)
    assert keys[0].startswith("Enter sends.")
