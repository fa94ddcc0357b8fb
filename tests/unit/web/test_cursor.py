"""Cursors: what their text means, and what it means when it means nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wakeful.web.cursor import START, Cursor, parse_cursor, parse_cursors


@given(after=some.integers(0, 10**9), frames=some.integers(0, 9))
def test_a_cursor_is_understood_as_it_was_written(after: int, frames: int) -> None:
    cursor = Cursor(after, frames)

    assert parse_cursor(str(cursor), after + 1) == cursor


@given(some.text())
def test_whatever_is_not_a_cursor_is_the_start(text: str) -> None:
    cursor = parse_cursor(text, 5)

    assert 0 <= cursor.fact <= 5
    assert cursor == START or str(cursor) == ".".join(part.lstrip("0") or "0" for part in text.split("."))


@given(some.text())
def test_whatever_is_not_a_cursor_over_all_is_the_start_of_all(text: str) -> None:
    cursors = parse_cursors(text, {"a": 5})

    assert all(cursor.fact <= 5 for cursor in cursors.values())


@pytest.mark.parametrize(
    ("text", "cursors"),
    [
        ("a:1,b:2.1", {"a": Cursor(1), "b": Cursor(1, 1)}),
        ("a:1", {"a": Cursor(1)}),
        ("c:1,b:9", {"b": Cursor(9)}),
        ("a:x,b:2", {"a": START, "b": Cursor(2)}),
        ("a:11,b:2", {"a": START, "b": Cursor(2)}),
        ("a", {"a": START, "b": START}),
        ("7", {"a": START, "b": START}),
        ("a:1,,b:2", {"a": START, "b": START}),
    ],
)
def test_several_cursors_are_read_one_by_one(text: str, cursors: dict[str, Cursor]) -> None:
    assert parse_cursors(text, {"a": 10, "b": 10}) == cursors
