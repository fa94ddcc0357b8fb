"""Titles that a session gets from its first words."""

import pytest

from wakeful.engine.inbox.title import title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  count\n\tthe  sheep ", "count the sheep"),
        ("with a\0NUL", "with a NUL"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("x" * 58 + " and more", "x" * 58 + "…"),
        ("", ""),
    ],
)
def test_a_title_is_one_line_of_sixty_letters(text: str, title: str) -> None:
    assert title_from(text) == title
