"""What an answer grants, and which reasons of a call the grants cover."""

import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.store.nouns import a_grant, a_session, an_approval
from wakeful.engine.approvals.grants import grants_of, real_folder, reasons_to_ask
from wakeful.model.approvals.approval import Choice, Reason
from wakeful.model.approvals.grant import Grant

DELETES, DISCARDS, UNCLEAR = (Reason(kind, kind) for kind in ("delete_outside", "discard_work", "unclear"))
ASKED = an_approval(
    reasons=(DELETES, DISCARDS, DELETES), folder="/srv/shop", granted_until=900.0, chat_key="telegram:7", command="rm"
)
TOP, CHILD = a_session("top", owner="alice", chat_key="telegram:7"), a_session("child", owner="bob")


def test_an_answer_for_the_session_grants_each_kind_there_for_ever() -> None:
    given = grants_of(ASKED, Choice.SESSION, "alice", "s9", 50.0)

    assert [(grant.kind, grant.owner, grant.created_at) for grant in given] == [
        ("delete_outside", "alice", 50.0),
        ("discard_work", "alice", 50.0),
    ]
    assert {(grant.session_id, grant.folder, grant.chat_key, grant.expires_at) for grant in given} == {
        ("s9", "", "", None)
    }
    assert len({grant.id for grant in given}) == 2


def test_an_answer_for_the_folder_grants_each_kind_there_in_its_chat_until_the_day_that_was_named() -> None:
    given = grants_of(ASKED, Choice.FOLDER, "alice", "s9", 50.0)

    assert {(grant.session_id, grant.folder, grant.chat_key, grant.expires_at) for grant in given} == {
        ("", "/srv/shop", "telegram:7", 900.0)
    }
    assert {grant.example for grant in given} == {"rm"}


@pytest.mark.parametrize("choice", [Choice.ONCE, Choice.DENY])
def test_an_answer_for_one_call_grants_nothing(choice: Choice) -> None:
    assert grants_of(ASKED, choice, "alice", "s9", 50.0) == []


class Records:
    """The grants that a transaction finds, what it was asked for, and what it was told of their use."""

    def __init__(self, *found: Grant) -> None:
        self.wanted: list[tuple[Any, ...]] = []
        self.used: list[Sequence[str]] = []
        self._found = found
        self.grants = SimpleNamespace(covering=self._covering, count_use=self._count)

    async def _covering(self, *wanted: Any) -> list[Grant]:
        self.wanted.append(wanted)
        return list(self._found)

    async def _count(self, grant_ids: Sequence[str], now: float) -> None:
        assert now == 70.0
        self.used.append(grant_ids)


async def asked_about(records: Records, *reasons: Reason, folder: str = "/srv/shop") -> tuple[Reason, ...]:
    tx: Any = records
    return await reasons_to_ask(tx, an_approval(reasons=reasons, folder=folder), [CHILD, TOP], 70.0)


async def test_a_call_whose_reasons_are_all_granted_passes_and_uses_the_first_grant_of_each_kind() -> None:
    records = Records(a_grant("g1"), a_grant("g2"), a_grant("g3", kind="discard_work"), a_grant("g4", kind="other"))

    assert await asked_about(records, DELETES, DISCARDS) == ()
    assert records.used == [["g1", "g3"]]


async def test_what_is_left_is_asked_about_and_no_grant_is_used() -> None:
    records = Records(a_grant("g1"))

    assert await asked_about(records, DELETES, DISCARDS) == (DISCARDS,)
    assert records.used == []


async def test_what_may_be_allowed_once_only_is_asked_about_whatever_is_granted() -> None:
    assert await asked_about(Records(a_grant("g1", kind="unclear")), UNCLEAR) == (UNCLEAR,)


@pytest.mark.parametrize(
    ("folder", "folders"),
    [("/srv/shop", ["/srv/shop", "/srv"]), ("/srv", ["/srv"]), ("/", []), ("", []), ("srv/shop", [])],
)
async def test_grants_are_looked_for_by_the_owner_and_the_chat_at_the_top_and_never_for_the_root(
    folder: str, folders: list[str]
) -> None:
    records = Records()
    await asked_about(records, DELETES, folder=folder)

    assert records.wanted == [(["child", "top"], "alice", folders, "telegram:7", 70.0)]


def test_the_folder_of_a_session_is_where_its_links_lead_and_no_workspace_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "shop")

    assert real_folder(str(tmp_path / "link")) == os.path.realpath(tmp_path / "shop")
    assert real_folder("") == ""
