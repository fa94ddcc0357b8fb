"""Words that a resuming reader has had are left out, and told apart from those that the log has not kept."""

import pytest

from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.model.words import TOKEN, Word, WordsEnd, WordsHead
from wakeful.web.cursor import Cursor
from wakeful.web.streams.had_words import HadWords


def words(first: int, last: int, base: int = 9) -> list[Word]:
    head = WordsHead("s1", "t1", 1, base)
    return [Word(head, number, TOKEN, str(number)) for number in range(first, last + 1)]


def end(count: int, base: int = 9, kind: str = events.DONE) -> Event:
    return Event("s1", 10, "t1", 3, kind, pack({}), 0.0, WordsEnd(1, base, count))


@pytest.mark.parametrize(
    ("first", "last", "new"),
    [(1, 1, []), (1, 3, []), (1, 4, [4]), (3, 3, []), (3, 5, [4, 5]), (4, 4, [4]), (4, 6, [4, 5, 6])],
)
def test_only_words_after_those_that_were_had_are_new(first: int, last: int, new: list[int]) -> None:
    had = HadWords(Cursor(9, base=9, word=3))

    assert [word.number for word in had.new_of(words(first, last))] == new


def test_words_of_another_step_and_of_a_reader_who_had_none_are_all_new() -> None:
    others, first = words(1, 2, base=12), words(1, 2)

    assert HadWords(Cursor(12, base=9, word=3)).new_of(others) == others
    assert HadWords(Cursor(9)).new_of(first) == first


@pytest.mark.parametrize(
    ("event", "left"),
    [
        (end(2), [1, 2]),
        (end(3), None),
        (end(4), None),
        (end(2, base=12), None),
        (end(2, kind=events.STEP_ABANDONED), None),
        (Event("s1", 10, "t1", 3, events.DONE, pack({}), 0.0, None), None),
    ],
    ids=["fewer", "as many", "more", "of another step", "taken back", "of no words"],
)
def test_a_fact_that_ends_fewer_words_than_were_had_gives_those_that_are_left(
    event: Event, left: list[int] | None
) -> None:
    had = HadWords(Cursor(9, base=9, word=3))
    had.new_of(words(1, 1))
    had.new_of(words(2, 2))

    found = had.left_by(event)

    assert (None if found is None else [word.number for word in found]) == left


def test_after_that_all_words_are_new_and_none_are_left() -> None:
    had = HadWords(Cursor(9, base=9, word=3))
    had.new_of(words(1, 2))
    had.left_by(end(2))

    assert had.new_of(words(1, 2)) == words(1, 2)
    assert had.left_by(end(2)) is None
    assert had.left_by(end(0)) is None
