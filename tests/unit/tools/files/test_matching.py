"""The text that an edit replaces, and the lines that come close to one that is not there."""

from typing import Any

import pytest

from wakeful.tools.base import Unusable
from wakeful.tools.files.matching import replaced


def refused(data: bytes, old: str, *, everywhere: bool = False) -> Unusable:
    with pytest.raises(Unusable) as error:
        replaced(data, old, "new", "n", everywhere=everywhere)
    return error.value


def nearest(data: str, old: str) -> list[tuple[int, str]]:
    found: list[dict[str, Any]] = refused(data.encode(), old).fields["nearest"]
    return [(each["line"], each["text"]) for each in found]


@pytest.mark.parametrize(
    ("data", "old", "new", "after"),
    [
        (b"a b c", "b", "x", b"a x c"),
        (b"a.b", ".", "x", b"axb"),
        (b"a\nb\nc", "a\nb", "x\ny", b"x\ny\nc"),
        (b"a\r\nb\r\nc", "a\nb", "x\ny", b"x\r\ny\r\nc"),
        (b"a\r\nb\r\nc", "a\r\nb", "x\r\ny", b"x\r\ny\r\nc"),
        (b"a\r\nb", "b", "x\ny", b"a\r\nx\r\ny"),
        (b"a\nb\r\nc", "a", "x\ny", b"x\ny\nb\r\nc"),
        (b"a\nb\r\nc", "b", "x\ny", b"a\nx\r\ny\r\nc"),
        (b"a\rb", "b", "x\ny", b"a\rx\ny"),
        (b"\nb\r", "b", "x\ny", b"\nx\ny\r"),
    ],
)
def test_a_text_is_replaced_with_the_line_ends_that_stand_there(data: bytes, old: str, new: str, after: bytes) -> None:
    assert replaced(data, old, new, "n", everywhere=False) == after


def test_everywhere_is_every_occurrence_with_the_line_ends_around_it() -> None:
    assert replaced(b"a a", "a", "b", "n", everywhere=True) == b"b b"
    assert replaced(b"a\r\na\n", "a", "b\nc", "n", everywhere=True) == b"b\r\nc\r\nb\nc\n"


@pytest.mark.parametrize(
    ("data", "old", "words"),
    [
        (b"a\nb\na", "a", "occurs 2 times in n, at lines 1, 3:"),
        (b"aaa", "aa", "occurs 2 times in n, at lines 1, 1:"),
        (b"a\n" * 20, "a", f"occurs 20 times in n, at lines {', '.join(map(str, range(1, 21)))}:"),
        (b"a\n" * 21, "a", f"occurs 21 times in n, at lines {', '.join(map(str, range(1, 21)))}, …:"),
    ],
)
def test_a_text_that_is_not_unique_is_named_with_its_lines(data: bytes, old: str, words: str) -> None:
    error = refused(data, old)

    assert (words in str(error), error.code) == (True, "not_unique")


def test_a_text_that_is_missing_is_no_match_also_everywhere() -> None:
    assert [refused(b"a", "b", everywhere=every).code for every in (True, False)] == ["no_match", "no_match"]


def test_the_place_where_most_of_the_lines_stand_is_shown() -> None:
    data = "one\n  two\nthree\nx\ntwo\n"

    assert nearest(data, "one\ntwo\nfour") == [(1, "one"), (2, "  two"), (3, "three")]
    assert nearest(data, "zero\none\ntwo\n!") == [(1, "one"), (2, "  two"), (3, "three")]
    assert nearest(data, "x\ntwo\nfour\nfive") == [(4, "x"), (5, "two"), (6, "")]


def test_ten_lines_of_a_place_are_shown_and_500_letters_of_each() -> None:
    lines = [f"{number:03}" * 200 for number in range(20)]
    shown = nearest("\r\n".join(lines), "\n".join([*lines[:19], "other"]))

    assert shown == [(number + 1, lines[number][:500]) for number in range(10)]


def test_lines_that_are_alike_are_shown_in_their_order() -> None:
    data = "def add(a, b):\n\nnothing\ndef add(c, d):\ndef sub(a, b):\ndef add(a, b):\n"

    assert nearest(data, "def add(a, c):") == [
        (1, "def add(a, b):"),
        (4, "def add(c, d):"),
        (5, "def sub(a, b):"),
    ]
    assert nearest("nothing\nalike\n", "def add(a, c):") == []


def test_of_lines_that_are_alike_the_ten_closest_are_shown() -> None:
    lines = [f"value_{number:02} = compute(1)" for number in range(12)]
    closest = nearest("\n".join([*lines, "value_xx = compute(2)", "value_yy = compute(22)"]), "value_xx = compute(22)")

    assert len(closest) == 10
    assert closest[-2:] == [(13, "value_xx = compute(2)"), (14, "value_yy = compute(22)")]
