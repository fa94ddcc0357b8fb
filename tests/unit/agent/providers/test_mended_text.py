from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful.agent.providers.mended_text import MendedText, mended

_ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)


@given(_ANY_TEXT, st.lists(st.integers(min_value=0, max_value=40)))
def test_a_text_in_pieces_is_mended_like_the_whole(text: str, cuts: list[int]) -> None:
    # Cut at UTF-16 units, as endpoints do that split an emoji in two.
    units = text.encode("utf-16-le", "surrogatepass")
    edges = [0, *sorted(min(cut * 2, len(units)) for cut in cuts), len(units)]
    pieces = [units[start:end].decode("utf-16-le", "surrogatepass") for start, end in pairwise(edges)]
    mending = MendedText()

    shown = "".join(mending.add(piece) for piece in pieces) + mending.finish()

    assert shown == mended(text)
    assert mending.whole == shown
    shown.encode()


def test_the_halves_of_an_emoji_are_joined_and_a_lone_half_is_replaced() -> None:
    mending = MendedText()

    shown = [mending.add("a\ud83d"), mending.add("\ude00b\ud83d"), mending.finish()]

    assert shown == ["a", "😀b", "\N{REPLACEMENT CHARACTER}"]


def test_a_half_without_its_other_half_stays_in_its_place() -> None:
    mending = MendedText()

    assert [mending.add("a\ud83d"), mending.add("b"), mending.finish()] == ["a", "\N{REPLACEMENT CHARACTER}b", ""]
    assert mending.whole == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize("letter", ["\U00010000", "\U0010ffff"])
def test_the_first_and_the_last_character_of_two_halves_are_joined(letter: str) -> None:
    units = letter.encode("utf-16-le")
    mending = MendedText()

    shown = [mending.add(units[at : at + 2].decode("utf-16-le", "surrogatepass")) for at in (0, 2)]

    assert shown == ["", letter]
