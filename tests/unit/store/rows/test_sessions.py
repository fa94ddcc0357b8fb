"""Sessions as rows."""

from typing import Any

import pytest

from tests.store.nouns import a_session
from wakeful.model.session import TitleOrigin, WakeReason
from wakeful.store.rows.sessions import SESSION_COLUMNS, marks_from, session_from, session_values

# Columns that a new session does not fill.
LATER = {
    "is_held": 0,
    "is_blocked": 0,
    "wake_at": None,
    "wake_reason": "budget",
    "is_pinned": 0,
    "is_archived": 0,
    "purge_at": None,
    "closed_seq": 0,
    "title_tries": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "context_tokens": 0,
    "cost_usd": 0.0,
    "unpriced_tokens": 0,
}


def a_row(**changes: Any) -> dict[str, Any]:
    return dict(zip(SESSION_COLUMNS, session_values(a_session()), strict=True)) | LATER | changes


def test_a_session_comes_back_whole() -> None:
    assert session_from(a_row()) == a_session()
    changed = session_from(a_row(is_held=1, is_pinned=1, wake_reason="spend", todo=b"[]"))
    assert changed == a_session(is_held=True, is_pinned=True, wake_reason=WakeReason.SPEND, todo=b"[]")


@pytest.mark.parametrize("origin", [*TitleOrigin, "an oracle"])
def test_a_title_of_an_origin_that_is_not_known_is_the_users(origin: str) -> None:
    known = TitleOrigin(origin) if origin in list(TitleOrigin) else TitleOrigin.USER

    assert session_from(a_row(title_origin=origin)).title_origin is known


def test_marks_are_read() -> None:
    row = {"running_tasks": 2, "open_approvals": 1, "is_unread": 1, "last_status": "done", "is_woken": 0}

    marks = marks_from(row)

    assert (marks.running_tasks, marks.open_approvals, marks.last_status) == (2, 1, "done")
    assert (marks.is_unread, marks.is_woken) == (True, False)
