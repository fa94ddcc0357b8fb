"""Turns, rows of the inbox and lanes, as rows."""

from typing import Any

import orjson
import pytest

from tests.store.nouns import a_row, a_session, a_turn
from tests.unit.store.rows.test_sessions import LATER
from wakeful.model.inbox import InboxRow, RowStatus
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.rows.sessions import SESSION_COLUMNS, session_values
from wakeful.store.rows.turns import (
    INBOX_ROW_COLUMNS,
    LANE_COLUMNS,
    TURN_COLUMNS,
    inbox_row_from,
    inbox_row_values,
    lane_from,
    packed_error,
    turn_from,
    turn_values,
)

# Columns that a new turn does not fill.
OF_RUNNING = {
    "resumes": 0,
    "reserved": 1000,
    "is_hidden": 0,
    "error": None,
    "closed_at": None,
    "number": 1,
    "context_turn": None,
}


def a_turn_row(**changes: Any) -> dict[str, Any]:
    return dict(zip(TURN_COLUMNS, turn_values(a_turn()), strict=True)) | OF_RUNNING | changes


def an_inbox_row(row: InboxRow) -> dict[str, Any]:
    return dict(zip(INBOX_ROW_COLUMNS, inbox_row_values(row), strict=True)) | {"id": row.id}


def a_lane_row(row: InboxRow | None, *, is_running: bool = False, key: str = "") -> dict[str, Any]:
    """A row of a lane: the session, its turn and one row of its inbox."""
    session = dict(zip(SESSION_COLUMNS, session_values(a_session()), strict=True)) | LATER
    names = [part.partition(" AS ")[2] for part in LANE_COLUMNS.split(", ")]
    empty: dict[str, Any] = dict.fromkeys(names)
    turn = {f"t_{name}": value for name, value in a_turn_row().items()} if is_running else {}
    waiting = {} if row is None else {f"i_{name}": value for name, value in an_inbox_row(row).items()}
    return session | empty | turn | waiting | {"asked_key": key, "spent_at": None}


def numbered(number: int, key: str, status: RowStatus = RowStatus.PENDING) -> InboxRow:
    row = inbox_row_from(an_inbox_row(a_row(key, status=status)) | {"id": number})
    assert row.id == number
    return row


def test_a_turn_comes_back_whole() -> None:
    assert turn_from(a_turn_row()) == a_turn(number=1)
    assert turn_from(a_turn_row(is_hidden=1, error=b"{}", status="failed")).error == b"{}"


def test_a_turn_of_a_status_that_is_not_known_has_failed() -> None:
    turn = turn_from(a_turn_row(status="asleep"))

    assert turn.status is TurnStatus.FAILED
    assert turn.error is not None
    assert orjson.loads(turn.error)["code"] == "status_not_understood"


def test_an_outcome_with_a_code_is_an_error() -> None:
    assert packed_error(Outcome(TurnStatus.DONE)) is None
    error = packed_error(Outcome(TurnStatus.FAILED, "odd", "It broke."))
    assert error is not None
    assert orjson.loads(error) == {"code": "odd", "message": "It broke."}


def test_an_idle_lane_without_rows_has_neither_a_turn_nor_rows() -> None:
    lane = lane_from([a_lane_row(None, key="m1")], [], 5.0)

    assert (lane.session, lane.active, lane.pending, lane.known) == (a_session(), None, (), None)
    assert (lane.promised, lane.spent_at, lane.now) == (frozenset(), None, 5.0)


@pytest.mark.parametrize(("key", "known"), [("m2", 2), ("gone", 3), ("none", None)])
def test_a_lane_has_the_rows_that_wait_and_the_one_that_was_asked_for(key: str, known: int | None) -> None:
    rows = [numbered(1, "m1"), numbered(2, "m2"), numbered(3, "gone", RowStatus.WITHDRAWN)]

    lane = lane_from([a_lane_row(row, is_running=True, key=key) for row in rows], ["k1"], 5.0)

    assert lane.active == a_turn(number=1)
    assert lane.pending == tuple(rows[:2])
    assert (None if lane.known is None else lane.known.id) == known
    assert lane.promised == {"k1"}
