"""Approvals and grants as rows."""

from typing import Any

import orjson
import pytest

from tests.store.nouns import a_grant, an_approval
from wakeful.model.approvals.approval import EXPIRED, Choice
from wakeful.store.rows.approvals import (
    APPROVAL_COLUMNS,
    GRANT_COLUMNS,
    approval_from,
    approval_values,
    grant_from,
    grant_values,
)


def a_row(**changes: Any) -> dict[str, Any]:
    return dict(zip(APPROVAL_COLUMNS, approval_values(an_approval()), strict=True)) | {"choice": None} | changes


@pytest.mark.parametrize(
    ("stored", "choice"), [(None, None), (EXPIRED, None), ("once", Choice.ONCE), ("on Sundays", Choice.DENY)]
)
def test_a_choice_that_is_not_known_allows_nothing(stored: str | None, choice: Choice | None) -> None:
    assert approval_from(a_row(choice=stored)).choice is choice


def test_an_approval_comes_back_whole_without_what_a_newer_version_says_of_its_reasons() -> None:
    (reason,) = orjson.loads(a_row()["dangers"])

    assert approval_from(a_row(dangers=orjson.dumps([reason | {"new": 1}]))) == an_approval()


def test_a_grant_comes_back_whole() -> None:
    grant = a_grant(folder="/srv", expires_at=99.0, example="rm\0 漢字")
    row = dict(zip(GRANT_COLUMNS, grant_values(grant), strict=True)) | {"last_used_at": None, "uses": 0}

    assert grant_from(row) == grant
