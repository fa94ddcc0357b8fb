"""The words of an answer: joined, cut again into the same pieces, and packed."""

import pytest

from wakeful.model.words import REASONING, TOKEN, Position, Said, Word, WordsEnd, WordsHead, pack_cuts, unpack_cuts

HEAD = WordsHead("s1", "t1", 2, base=7)
PIECES = [(REASONING, "Hm"), (TOKEN, "O"), (REASONING, ","), (TOKEN, "h "), (REASONING, " so"), (TOKEN, "you")]
WORDS = [Word(HEAD, number, kind, text) for number, (kind, text) in enumerate(PIECES, start=1)]
SAID = Said("Oh you", "Hm, so", (-2, 1, -1, 2, -3, 3))


def test_joined_words_are_cut_into_the_same_pieces() -> None:
    assert Said.of(WORDS) == SAID
    assert SAID.words(HEAD) == WORDS


@pytest.mark.parametrize("after", range(7))
@pytest.mark.parametrize("limit", [None, 0, 1, 2, 9])
def test_a_reader_goes_on_after_any_piece(after: int, limit: int | None) -> None:
    assert SAID.words(HEAD, after, limit) == WORDS[after : None if limit is None else after + limit]


@pytest.mark.parametrize(
    ("cuts", "size"),
    [((), 0), ((1, -127), 2), ((-128,), 2), ((128,), 2), ((32_767, 1), 4), ((-32_768,), 4), ((2_000_000,), 4)],
)
def test_cuts_are_packed_into_the_fewest_bytes_that_hold_the_longest(cuts: tuple[int, ...], size: int) -> None:
    packed = pack_cuts(cuts)

    assert unpack_cuts(packed) == cuts
    assert len(packed) == 1 + size


def test_nothing_that_was_packed_has_no_cuts() -> None:
    assert unpack_cuts(b"") == ()


@pytest.mark.parametrize(
    ("end", "data"),
    [
        (WordsEnd(2, 7, 5), {"step": 2, "base": 7, "count": 5}),
        (WordsEnd(2, 7, void=9), {"step": 2, "base": 7, "count": 0, "void": 9}),
        (
            WordsEnd(2, 7, 5, said=SAID, old=(8, 12)),
            {"step": 2, "base": 7, "count": 5, "said": ["Oh you", "Hm, so", (-2, 1, -1, 2, -3, 3)], "old": (8, 12)},
        ),
    ],
)
def test_the_end_of_words_is_read_back_as_it_was_written(end: WordsEnd, data: dict[str, object]) -> None:
    assert end.data() == data
    assert WordsEnd.from_data(data) == end


def test_nothing_said_has_neither_pieces_nor_an_end() -> None:
    end, start = WordsEnd(1, 2), Position()

    assert (Said().words(HEAD), end.data()) == ([], {"step": 1, "base": 2, "count": 0})
    assert (end.void, start.fact, start.base, start.word) == (0, 0, 0, 0)
