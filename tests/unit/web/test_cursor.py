"""Cursors are parsed from their text; malformed ones mean the start."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wakeful.web.cursor import START, Cursor, cursor_in_words, fact_of, parse_cursor, parse_cursors, parse_turn_cursor

some_number = some.integers(0, 10**9)


@given(fact=some_number, frames=some.integers(0, 9), word=some_number, some_base=some_number)
def test_a_cursor_is_parsed_as_it_was_written(fact: int, frames: int, word: int, some_base: int) -> None:
    # Words follow a fact that their reader has.
    base = min(fact, some_base)
    cursor = Cursor(fact, frames, base, word if base else 0)

    assert parse_cursor(str(cursor), fact + 1) == cursor


@pytest.mark.parametrize(
    ("text", "cursor"),
    [
        ("12~9~37", Cursor(12, 0, 9, 37)),
        ("12~12~0", Cursor(12, 0, 12, 0)),
        ("12.1~9~37", Cursor(11, 1, 9, 37)),
        ("9~9~999999999999999", Cursor(9, 0, 9, 999999999999999)),
    ],
)
def test_a_cursor_in_the_middle_of_words_names_them(text: str, cursor: Cursor) -> None:
    assert parse_cursor(text, 12) == cursor
    assert str(cursor) == text


@pytest.mark.parametrize(
    "text",
    [
        "12~",
        "12~9",
        "12~9~",
        "12~9~1~1",
        "12~0~1",
        "12~13~1",
        "13~9~1",
        "12~-1~1",
        "~9~1",
        "12~9.1~1",
        "9.1~9~1",
        "٣~1~1",
    ],
)
def test_a_cursor_in_words_that_no_reader_can_have_is_the_start(text: str) -> None:
    assert parse_cursor(text, 12) == START


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("3", (3, 0)),
        ("3~12", (3, 12)),
        ("5~1", (5, 1)),
        ("6~1", (0, 0)),
        ("0~1", (0, 0)),
        ("3~1~1", (0, 0)),
        ("x", (0, 0)),
    ],
)
def test_the_cursor_of_a_turn_needs_no_base(text: str, position: tuple[int, int]) -> None:
    assert parse_turn_cursor(text, 5) == position


@pytest.mark.parametrize(
    ("fact", "base", "word", "text"),
    [(5, 0, 0, "5"), (5, 5, 0, "5"), (5, 5, 1, "5~5~1"), (6, 5, 0, "6~5~0"), (6, 5, 2, "6~5~2"), (5, 1, 0, "5~1~0")],
)
def test_a_cursor_names_words_only_where_its_fact_does_not_say_which(
    fact: int, base: int, word: int, text: str
) -> None:
    assert str(cursor_in_words(fact, base, word)) == text


@pytest.mark.parametrize(("text", "fact"), [("12", 12), ("12.1", 12), ("12~9~3", 12), ("12~", 0), ("x", 0), ("", 0)])
def test_a_cursor_tells_the_last_fact_of_which_a_reader_has_had_something(text: str, fact: int) -> None:
    assert fact_of(text) == fact


@given(some.text())
def test_a_malformed_cursor_is_the_start(text: str) -> None:
    cursor = parse_cursor(text, 5)

    assert 0 <= cursor.fact <= 5
    assert cursor == START or str(cursor) == re.sub(r"\b0+(?=\d)", "", text)


@given(some.text())
def test_a_malformed_cursor_over_several_sessions_is_the_start_of_all(text: str) -> None:
    cursors = parse_cursors(text, {"a": 5})

    assert all(cursor.fact <= 5 for cursor in cursors.values())


@pytest.mark.parametrize(
    ("text", "cursors"),
    [
        ("a:1,b:2.1", {"a": Cursor(1), "b": Cursor(1, 1)}),
        ("a:3~2~7,b:2.1~1~4", {"a": Cursor(3, 0, 2, 7), "b": Cursor(1, 1, 1, 4)}),
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
