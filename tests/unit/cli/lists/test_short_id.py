"""Ids as people type them."""

import pytest

from wakeful.cli.lists.short_id import find_named, only_one, short_id, short_names
from wakeful.errors import GrantNotFound, SessionNotFound

IDS = [f"gnt_{number}" for number in range(5000)]
KNOWN = ["ses_01abc", "ses_01abd", "ses_02xyz"]


@pytest.mark.parametrize("name", ["ses_02xyz", "ses_02", "02x", "yz", "2xyz", "ses_xyz", "ses_yz"])
def test_the_beginning_or_the_end_of_an_id_is_enough(name: str) -> None:
    assert only_one(name, KNOWN, SessionNotFound, "session") == "ses_02xyz"


def test_a_whole_id_is_itself_even_where_a_longer_one_begins_with_it() -> None:
    assert only_one("ses_01", ["ses_01", "ses_012"], SessionNotFound, "session") == "ses_01"


@pytest.mark.parametrize(
    ("name", "words"),
    [("ses_9", "no session ses_9"), ("", "no session"), ("ses_01a", "2 sessions"), ("z", "no session z")],
)
def test_no_match_and_several_matches_are_different_errors(name: str, words: str) -> None:
    with pytest.raises(SessionNotFound, match=words):
        only_one(name, KNOWN, SessionNotFound, "session")


def test_a_short_id_stands_for_the_whole_one() -> None:
    whole = "ses_01a1e1a86af935ec485730e84c5fc402"

    assert short_id(whole) == "5fc402"
    assert only_one("5fc402", [whole, "ses_01a1e1a86af935ec485730e84c5fc403"], SessionNotFound, "session") == whole


def test_names_are_short_stable_and_unique() -> None:
    assert short_names([]) == []
    assert [len(name) for name in short_names(IDS[:3])] == [6, 6, 6]
    assert short_names(IDS[:3])[1:] == short_names(IDS[1:3])
    assert len(set(short_names(IDS))) == len(IDS)


def test_a_thing_is_found_by_its_name_the_beginning_of_it_or_its_id() -> None:
    name = short_names(IDS[:3])[1]

    assert [find_named(given, IDS[:3], GrantNotFound, "grant") for given in (name, name[:4], "gnt_1")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("given", "complaint"), [("", "no grant"), ("zzz", "no grant zzz"), ("a", "grants begin with a")]
)
def test_an_unknown_or_ambiguous_name_is_not_found(given: str, complaint: str) -> None:
    with pytest.raises(GrantNotFound, match=complaint):
        find_named(given, IDS, GrantNotFound, "grant")


def test_ids_that_are_the_same_share_their_name() -> None:
    first, second, other = short_names(["ses_1/c", "ses_1/c", "ses_2/c"])

    assert first == second != other
