"""The state tables of docs/architecture.md are those of the code."""

from enum import StrEnum
from pathlib import Path

import pytest

from wakeful.model import inbox, turn
from wakeful.model.messaging import post
from wakeful.model.tasks import task

_PICTURE = Path(__file__).parents[3] / "docs" / "architecture.md"


def drawn(noun: str) -> set[tuple[str, str]]:
    """The pairs (state, what it becomes) in the table whose first heading is the noun."""
    table = _PICTURE.read_text().split(f"| {noun} | becomes | when |\n|---|---|---|\n")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    return {(row[0], after) for row in rows for after in row[1].split(", ")}


@pytest.mark.parametrize(
    ("noun", "transitions"),
    [
        ("turn", turn.TRANSITIONS),
        ("inbox row", inbox.TRANSITIONS),
        ("task", task.TRANSITIONS),
        ("post", post.TRANSITIONS),
    ],
)
def test_the_picture_draws_the_transitions_of_the_code(
    noun: str, transitions: dict[StrEnum, frozenset[StrEnum]]
) -> None:
    assert drawn(noun) == {(state.value, after.value) for state, afters in transitions.items() for after in afters}
