"""Titles that a session gets from its first words."""

import pytest

from tests.store.nouns import have_session
from wakeful.engine.inbox.title import branch_title, next_title, title_from
from wakeful.store.base import Store


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


@pytest.mark.parametrize(
    ("title", "taken", "expected"),
    [
        ("Trip", [], "Trip (branch 2)"),
        ("Trip", ["Trip", "Trip (branch 2)"], "Trip (branch 3)"),
        ("Trip", ["Trip (branch 7)", "Other (branch 9)"], "Trip (branch 8)"),
        ("Trip (branch 2)", [], "Trip (branch 3)"),
        ("Trip (branch 2)", ["Trip (branch 4)"], "Trip (branch 5)"),
        ("Trip\nhome (branch 2)", [], "Trip\nhome (branch 3)"),
        ("Trip (branch 1234567890)", [], "Trip (branch 1234567890) (branch 2)"),
        ("x" * 300, [], "x" * 189 + " (branch 2)"),
    ],
)
def test_a_branch_has_the_next_number_of_its_base(title: str, taken: list[str], expected: str) -> None:
    assert next_title(title, taken) == expected


async def test_a_branch_is_numbered_among_the_sessions_of_its_owner(store: Store) -> None:
    session = await have_session(store, "s1", title="Trip")
    await have_session(store, "s2", title="Trip (branch 5)")
    await have_session(store, "s3", title="Trip (branch 9)", owner="bob")

    assert await store.read(lambda tx: branch_title(tx, session)) == "Trip (branch 6)"


async def test_a_branch_of_a_session_without_a_title_has_none(store: Store) -> None:
    session = await have_session(store)

    assert await store.read(lambda tx: branch_title(tx, session)) == ""
