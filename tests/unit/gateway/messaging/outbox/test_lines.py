"""The sentences that the server adds to posts, word by word."""

from typing import Any

import pytest

from wakeful.gateway.messaging.outbox.lines import call_line, notice_line, result_line, turn_failure_text
from wakeful.gateway.messaging.settings import ShownProgress

LONG = "x" * 200


@pytest.mark.parametrize(
    ("notice", "line"),
    [
        ({"kind": "process", "command": "make", "exit_code": 2}, "⏰ make (exit code 2)"),
        ({"kind": "process", "command": "make", "exit_code": None}, "⏰ make (lost)"),
        ({"kind": "watch", "command": "tail -f log", "pattern": "ERROR"}, '⏰ tail -f log (matched "ERROR")'),
        ({"kind": "delegation", "command": "find\nthe bug"}, "⏰ delegation find the bug"),
        ({"kind": "process", "command": LONG, "exit_code": 0}, f"⏰ {'x' * 80} (exit code 0)"),
    ],
)
def test_a_notice_is_one_line(notice: dict[str, Any], line: str) -> None:
    assert notice_line(notice) == line


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ('{"command": "ls", "background": true}', "• terminal: ls"),
        ('{"background": true, "path": "a.txt"}', "• terminal: a.txt"),
        ('{"first": "one", "second": "two"}', "• terminal: one"),
        ('{"goals": ["a", "b"]}', '• terminal: ["a","b"]'),
        (f'{{"command": "{LONG}"}}', f"• terminal: {'x' * 60}"),
        ("{}", "• terminal:"),
        ("no JSON", "• terminal: no JSON"),
    ],
)
def test_a_call_shows_its_main_argument(arguments: str, line: str) -> None:
    assert call_line("terminal", arguments) == line


def test_a_result_is_shown_to_those_who_want_all() -> None:
    assert result_line("• ls", f"a\n{LONG}", ShownProgress.ALL) == f"• ls → a {'x' * 98}"
    assert result_line("• ls", LONG, ShownProgress.SHORT) == "• ls"


@pytest.mark.parametrize(
    ("code", "text"), [("model_auth", "The model could not answer: Why."), ("step_limit", "I had to stop: Why.")]
)
def test_a_failure_says_whose_it_is(code: str, text: str) -> None:
    assert turn_failure_text(code, "Why.") == text
