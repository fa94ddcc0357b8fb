"""Questions, grants and modes: what a person is asked, and what an answer may cover."""

import os

import pytest

from tests.store.nouns import a_grant, a_session, an_approval
from wakeful.model.approvals.approval import CHOICES, Choice, Reason
from wakeful.model.approvals.grant import Scope, grant_data, short_folder
from wakeful.model.approvals.mode import CallStanding, Mode, mode_of

ALL = (Choice.ONCE, Choice.SESSION, Choice.FOLDER, Choice.DENY)


@pytest.mark.parametrize(
    ("folder", "kinds", "choices"),
    [
        ("/work", ["edit"], ALL),
        ("", ["edit"], (Choice.ONCE, Choice.SESSION, Choice.DENY)),
        ("/", ["edit"], (Choice.ONCE, Choice.SESSION, Choice.DENY)),
        ("/work", ["edit", "home"], (Choice.ONCE, Choice.DENY)),
        ("/work", ["unclear"], (Choice.ONCE, Choice.DENY)),
    ],
)
def test_a_grant_is_offered_for_as_much_as_it_may_cover(
    folder: str, kinds: list[str], choices: tuple[Choice, ...]
) -> None:
    reasons = tuple(Reason(kind, "does something") for kind in kinds)

    assert an_approval(folder=folder, reasons=reasons).choices == choices


def test_the_old_name_of_a_choice_is_understood_and_no_other() -> None:
    assert Choice("always") is Choice.FOLDER
    assert CHOICES == ("once", "session", "folder", "deny", "always")
    with pytest.raises(ValueError, match="never"):
        Choice("never")


def test_a_grant_is_told_with_its_scope_and_its_times() -> None:
    of_session = grant_data(a_grant())
    of_folder = grant_data(a_grant(folder="/work", expires_at=60.0, last_used_at=55.5))

    assert [of_session[name] for name in ("scope", "session_id", "folder")] == [Scope.SESSION, "s1", None]
    assert [of_session[name] for name in ("expires_at", "last_used_at", "uses")] == [None, None, 0]
    assert [of_folder[name] for name in ("scope", "session_id", "folder")] == [Scope.FOLDER, None, "/work"]
    assert of_folder["expires_at"] == "1970-01-01T00:01:00.000Z"
    assert of_folder["last_used_at"] == "1970-01-01T00:00:55.500Z"


def test_a_folder_is_named_from_home() -> None:
    home = os.path.expanduser("~")

    assert [short_folder(path) for path in (home, f"{home}/a", f"{home}a", "/srv")] == ["~", "~/a", f"{home}a", "/srv"]


@pytest.mark.parametrize(
    ("mode", "asked_about"),
    [
        (Mode.READ_ONLY, {"edit", "command", "delete_outside", "home", "input"}),
        (Mode.ASK, {"edit", "command", "delete_outside", "home"}),
        (Mode.ACCEPT_EDITS, {"delete_outside", "home"}),
        (Mode.EVERYTHING, {"home"}),
    ],
)
def test_a_looser_mode_asks_about_less(mode: Mode, asked_about: set[str]) -> None:
    kinds = {"edit", "command", "delete_outside", "home", "input"}

    assert {kind for kind in kinds if mode.asks_about(kind)} == asked_about


def test_modes_are_ordered_from_the_strictest() -> None:
    assert Mode.EVERYTHING.is_looser_than(Mode.ASK)
    assert not Mode.ASK.is_looser_than(Mode.ASK)
    assert not Mode.READ_ONLY.is_looser_than(Mode.ASK)


def test_a_session_without_a_mode_has_the_default_and_one_of_tomorrow_only_reads() -> None:
    modes = [mode_of(a_session(mode=mode), Mode.ASK) for mode in ("", "everything", "of_tomorrow")]

    assert modes == [Mode.ASK, Mode.EVERYTHING, Mode.READ_ONLY]


def test_a_person_is_asked_about_memory_where_only_programs_have_spoken() -> None:
    assert CallStanding(Mode.ASK, is_unasked=True).counts("memory")
    assert not CallStanding(Mode.ASK).counts("memory")
    assert not CallStanding(Mode.EVERYTHING, is_unasked=True).counts("memory")
    assert CallStanding(Mode.ASK).counts("delete_outside")
