"""Readers of a session: the cursors of their frames, after facts and in the middle of words."""

from wakeful.model.event import DONE, MESSAGE_QUEUED, STEP_ABANDONED, USAGE, Event
from wakeful.model.packed_json import pack
from wakeful.model.words import TOKEN, Word, WordsEnd, WordsHead
from wakeful.web.cursor import parse_cursor
from wakeful.web.streams.had_words import HadWords
from wakeful.web.streams.reading import Reading

HEAD = WordsHead("s", "t", 1, 9)


def reading(cursor: str) -> Reading:
    return Reading(parse_cursor(cursor, 1000), inline=True)


def words(first: int, last: int) -> list[Word]:
    return [Word(HEAD, number, TOKEN, "x") for number in range(first, last + 1)]


def fact(number: int, kind: str, *, ends: WordsEnd | None = None, turn_seq: int | None = 3) -> Event:
    turn_id = None if kind == MESSAGE_QUEUED else "t"
    return Event("s", number, turn_id, turn_seq, kind, pack({"step": 1}), 0.0, ends)


def test_the_position_in_words_stays_until_the_fact_that_ends_them() -> None:
    reader = reading("9")

    frames = [
        *reader.words(words(1, 2)),
        *reader.fact(fact(10, MESSAGE_QUEUED)),
        *reader.words(words(3, 3)),
        *reader.fact(fact(11, USAGE, ends=WordsEnd(1, 9, 3))),
        *reader.fact(fact(12, DONE)),
    ]

    assert [at for at, _ in frames] == ["9~9~1", "9~9~2", "10~9~2", "10~9~3", "11", "12.1", "12"]


def test_a_fact_of_two_frames_that_ends_words_names_none() -> None:
    reader = reading("10~9~3")

    assert [at for at, _ in reader.fact(fact(11, DONE, ends=WordsEnd(1, 9, 3)))] == ["11.1", "11"]


def test_words_that_are_taken_back_come_again_from_the_first() -> None:
    reader = reading("10~9~30")

    (back,) = reader.fact(fact(10, STEP_ABANDONED, turn_seq=None))
    (again,) = reader.words(words(1, 1))

    assert (back[0], again[0]) == ("10~9~0", "10~9~1")


def test_a_cursor_from_an_older_version_among_word_events_goes_back_before_all_of_them() -> None:
    reader = reading("105")

    (back,) = reader.fact(fact(110, STEP_ABANDONED, turn_seq=None))
    (again,) = reader.words(words(1, 1))

    assert (back[0], again[0]) == ("105~1~0", "105~9~1")


def test_words_that_a_reader_has_had_are_not_new_however_they_are_cut_into_pages() -> None:
    had = HadWords(parse_cursor("9~9~3", 9))

    new = [had.new_of(words(1, 2)), had.new_of(words(3, 5)), had.new_of(words(6, 6))]

    assert new == [[], words(4, 5), words(6, 6)]
    assert had.left_by(fact(10, DONE, ends=WordsEnd(1, 9, 6))) is None


def test_if_the_log_kept_fewer_words_than_a_reader_has_had_those_are_sent_again() -> None:
    had = HadWords(parse_cursor("9~9~30", 9))

    assert had.new_of(words(1, 2)) == []
    assert had.left_by(fact(10, DONE, ends=WordsEnd(1, 9, 2))) == words(1, 2)
    # They are sent again after that.
    assert had.new_of(words(1, 2)) == words(1, 2)


def test_an_abandoned_step_leaves_nothing_to_be_sent_again() -> None:
    had = HadWords(parse_cursor("9~9~30", 9))

    assert had.left_by(fact(10, STEP_ABANDONED, ends=WordsEnd(1, 9, 0, void=1000))) is None
