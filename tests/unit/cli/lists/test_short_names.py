"""Names that can be typed."""

import pytest

from wakeful.cli.lists.short_names import find_named, short_names
from wakeful.errors import GrantNotFound

IDS = [f"gnt_{number}" for number in range(5000)]


def test_names_are_short_the_same_every_time_and_tell_things_apart() -> None:
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
def test_what_is_not_there_or_not_clear_is_not_found(given: str, complaint: str) -> None:
    with pytest.raises(GrantNotFound, match=complaint):
        find_named(given, IDS, GrantNotFound, "grant")
