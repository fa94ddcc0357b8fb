"""Changed files as rows."""

from typing import Any

import pytest

from tests.store.nouns import a_change
from wakeful.model.journal.change import ChangeState, KeptChange
from wakeful.store.rows.changes import CHANGE_COLUMNS, change_from, change_values

# Each value is another one, so that no two columns can be mistaken for each other.
OF_SUB_AGENT = a_change(
    step=2, index=3, before="old", added=4, removed=5, root_session_id="s0", root_turn_id="t0", host="host7"
)


def a_row(change: KeptChange, **changes: Any) -> dict[str, Any]:
    return dict(zip(CHANGE_COLUMNS, change_values(change), strict=True)) | changes


@pytest.mark.parametrize("state", ChangeState)
def test_a_change_comes_back_whole(state: ChangeState) -> None:
    found = change_from(a_row(OF_SUB_AGENT, state=str(state)))

    assert found == a_change(
        step=2,
        index=3,
        before="old",
        added=4,
        removed=5,
        root_session_id="s0",
        root_turn_id="t0",
        host="host7",
        state=state,
    )
    assert isinstance(found.state, ChangeState)


@pytest.mark.parametrize(("stored", "undoable"), [(0, False), (1, True)])
def test_a_number_of_a_database_without_booleans_is_read_as_such(stored: int, undoable: bool) -> None:
    assert change_from(a_row(a_change(), undoable=stored)).undoable is undoable


def test_a_name_that_is_no_text_is_kept_as_its_bytes() -> None:
    change = a_change(path="/w/\udcff.txt", shown="\udcfe.txt")
    row = a_row(change)

    assert (row["path"], row["shown"]) == (b"/w/\xff.txt", b"\xfe.txt")
    assert change_from(row) == change
