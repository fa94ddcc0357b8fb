"""How a session is found, and how it looks in a list."""

from typing import Any

import pytest

from wakeful.cli.session_list import numbered_lines, only_one, session_lines
from wakeful.errors import SessionNotFound

KNOWN = ["ses_01abc", "ses_01abd", "ses_02xyz"]


@pytest.mark.parametrize("name", ["ses_02xyz", "ses_02", "02x"])
def test_the_beginning_of_an_id_is_enough(name: str) -> None:
    assert only_one(name, KNOWN, SessionNotFound, "session") == "ses_02xyz"


def test_a_whole_id_is_itself_even_where_a_longer_one_begins_with_it() -> None:
    assert only_one("ses_01", ["ses_01", "ses_012"], SessionNotFound, "session") == "ses_01"


@pytest.mark.parametrize(("name", "words"), [("ses_9", "no session"), ("", "no session"), ("ses_01a", "2 sessions")])
def test_none_or_several_are_told_apart(name: str, words: str) -> None:
    with pytest.raises(SessionNotFound, match=words):
        only_one(name, KNOWN, SessionNotFound, "session")


def row(**more: Any) -> dict[str, Any]:
    base = {"session_id": "ses_1", "title": "Hello", "updated_at": "2020-05-01T12:00:00.000Z"}
    return base | {"active_turn_id": None, "running_tasks": 0} | more


def test_a_session_shows_what_runs_in_it() -> None:
    (line,) = session_lines([row(active_turn_id="t", running_tasks=2)])

    assert line.startswith("ses_1  ")
    assert line.endswith("Hello  [answering, 2 tasks running]")


def test_titles_are_one_harmless_line() -> None:
    (line,) = session_lines([row(title="a\n\x1b[2Jb" + "x" * 200)])

    assert "a b" in line
    assert len(line) < 110
    assert "\x1b" not in line


def test_numbers_are_for_choosing() -> None:
    assert [line.split()[0] for line in numbered_lines([row(), row(title="")])] == ["1", "2"]
