"""Ids as people type them."""

import pytest

from wakeful.cli.lists.short_id import only_one, short_id
from wakeful.errors import SessionNotFound

KNOWN = ["ses_01abc", "ses_01abd", "ses_02xyz"]


@pytest.mark.parametrize("name", ["ses_02xyz", "ses_02", "02x", "yz", "2xyz", "ses_xyz"])
def test_the_beginning_or_the_end_of_an_id_is_enough(name: str) -> None:
    assert only_one(name, KNOWN, SessionNotFound, "session") == "ses_02xyz"


def test_a_whole_id_is_itself_even_where_a_longer_one_begins_with_it() -> None:
    assert only_one("ses_01", ["ses_01", "ses_012"], SessionNotFound, "session") == "ses_01"


@pytest.mark.parametrize(("name", "words"), [("ses_9", "no session"), ("", "no session"), ("ses_01a", "2 sessions")])
def test_none_or_several_are_told_apart(name: str, words: str) -> None:
    with pytest.raises(SessionNotFound, match=words):
        only_one(name, KNOWN, SessionNotFound, "session")


def test_a_short_id_stands_for_the_whole_one() -> None:
    whole = "ses_01a1e1a86af935ec485730e84c5fc402"

    assert short_id(whole) == "5fc402"
    assert only_one("5fc402", [whole, "ses_01a1e1a86af935ec485730e84c5fc403"], SessionNotFound, "session") == whole
