"""A question as clients get it."""

from dataclasses import replace

import pytest

from tests.store.nouns import an_approval
from wakeful.engine.approvals.approval_data import approval_data
from wakeful.model.approvals.approval import Reason

DELETES = Reason("delete_outside", "deletes a folder", "/srv", "rm -r /srv")
DISCARDS = Reason("discard_work", "discards work", None, "git reset --hard")
PUSHES = Reason("force_push", "overwrites a branch")
ASKED = an_approval(reasons=(DELETES, DISCARDS), folder="/srv/shop", granted_until=86_400.0, task_id="del_1")


def test_a_question_is_named_by_its_call_where_it_is_asked_and_by_its_delegation_above() -> None:
    here, above = approval_data(ASKED, "s1"), approval_data(ASKED, "s0")

    assert (here["session_id"], here["call_id"], here["task_id"]) == ("s1", "call1", "del_1")
    assert (above["session_id"], above["call_id"], above["task_id"]) == ("s0", "del_1:call1", "del_1")


def test_a_question_has_its_first_reason_as_its_danger_and_all_of_them_in_its_list() -> None:
    shown = approval_data(ASKED, "s1")

    assert (shown["danger"], shown["reason"]) == ("delete_outside", "deletes a folder; discards work")
    assert shown["dangers"] == [
        {"kind": "delete_outside", "reason": "deletes a folder", "path": "/srv", "excerpt": "rm -r /srv"},
        {"kind": "discard_work", "reason": "discards work", "path": None, "excerpt": "git reset --hard"},
    ]
    assert shown["choices"] == ["once", "session", "folder", "deny"]


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        ((DELETES,), "that delete outside of the folder run"),
        ((DELETES, DELETES), "that delete outside of the folder run"),
        ((DELETES, DISCARDS), "that delete outside of the folder or discard uncommitted work run"),
        (
            (DELETES, DISCARDS, PUSHES),
            "folder, discard uncommitted work or overwrite what is in a remote repository run",
        ),
    ],
)
def test_the_words_of_a_longer_choice_name_each_kind_once(reasons: tuple[Reason, ...], words: str) -> None:
    assert words in approval_data(replace(ASKED, reasons=reasons), "s1")["choice_words"]["session"]


@pytest.mark.parametrize(
    ("tool", "what"), [("", "commands"), ("terminal", "commands"), ("process", "commands"), ("write_file", "calls")]
)
def test_only_what_runs_commands_is_about_commands(tool: str, what: str) -> None:
    words = approval_data(replace(ASKED, tool=tool), "s1")["choice_words"]

    assert words["session"].startswith(f"In this session and its sub-agents, {what} that ")


def test_only_choices_that_last_and_that_are_offered_are_explained() -> None:
    assert set(approval_data(ASKED, "s1")["choice_words"]) == {"session", "folder"}
    assert "until 2 January 1970." in approval_data(ASKED, "s1")["choice_words"]["folder"]
    assert set(approval_data(replace(ASKED, folder="/"), "s1")["choice_words"]) == {"session"}
    assert approval_data(replace(ASKED, reasons=(Reason("unclear", "hides"),)), "s1")["choice_words"] == {}
