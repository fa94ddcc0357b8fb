"""How a session is found, and how it looks in a list."""

from datetime import UTC, datetime
from typing import Any

import pytest

from wakeful.cli.lists.session_list import numbered_lines, session_lines


def row(**more: Any) -> dict[str, Any]:
    base = {"session_id": "ses_1", "title": "Hello", "updated_at": "2020-05-01T12:00:00.000Z"}
    marks = {"active_turn_id": None, "running_tasks": 0, "needs_you": 0, "unread": False, "last_status": None}
    return base | marks | more


def test_a_session_shows_what_runs_in_it() -> None:
    (line,) = session_lines([row(active_turn_id="t", running_tasks=2)])

    assert line.endswith("Hello  [answering, 2 jobs running]")


@pytest.mark.parametrize(
    ("more", "mark"),
    [
        ({"needs_you": 1, "active_turn_id": "t", "unread": True}, "  [needs you]"),
        ({"unread": True, "last_status": "failed", "running_tasks": 1}, "  [failed]"),
        ({"unread": True, "last_status": "done", "running_tasks": 1}, "  [1 job running]"),
        ({"unread": True, "last_status": "done"}, "  [unread]"),
        ({"last_status": "failed"}, ""),
    ],
)
def test_a_session_has_its_most_important_mark(more: dict[str, Any], mark: str) -> None:
    (line,) = session_lines([row(**more)])

    assert line.endswith(f"Hello{mark}")


def test_titles_are_one_harmless_line() -> None:
    (line,) = session_lines([row(title="a\n\x1b[2Jb" + "x" * 200)])

    assert "a b" in line
    assert len(line) < 110
    assert "\x1b" not in line


def test_a_session_shows_its_short_id() -> None:
    (line,) = session_lines([row(session_id="ses_01a1e1a86af935ec485730e84c5fc402")])

    assert line.startswith("5fc402  ")


def test_numbers_are_for_choosing() -> None:
    assert [line.split()[0] for line in numbered_lines([row(), row(title="")])] == ["1", "2"]


@pytest.mark.parametrize(
    ("title", "shown"), [("x" * 60, "x" * 60), ("x" * 61, f"{'x' * 59}…"), (None, "(nothing said yet)")]
)
def test_a_title_is_cut_only_where_it_is_too_long(title: str | None, shown: str) -> None:
    (line,) = session_lines([row(title=title)])

    assert line.endswith(f"  {shown}")


def test_a_row_to_choose_from_ends_with_the_id_and_times_stand_under_each_other() -> None:
    later = datetime.now(UTC).isoformat()
    first, second = numbered_lines([row(session_id="ses_01aaaaaa", unread=True), row(updated_at=later)])

    assert first.endswith("Hello  [unread]  aaaaaa")
    assert first.index("Hello") == second.index("Hello")
    assert [line.index("Hello") for line in session_lines([row(), row(updated_at=later)])] == [
        first.index("Hello") - 1
    ] * 2
