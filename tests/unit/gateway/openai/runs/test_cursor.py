"""What a reader of a run has seen, by the id of the last event that it read."""

from dataclasses import replace

import pytest

from tests.unit.gateway.openai.kit import TURN, abandoned, log
from tests.unit.gateway.openai.runs.test_projection import question
from wakeful.gateway.openai.runs.cursor import RunCursor, cursor_from
from wakeful.gateway.openai.runs.request import RunEventsQuery
from wakeful.model.event import StreamItem
from wakeful.model.words import TOKEN, Position, Word, WordsHead
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read_texts

BASE = log()[-1].session_seq


def word(number: int, base: int = BASE) -> Word:
    return Word(WordsHead("s", TURN, 1, base), number, TOKEN, "x")


def unseen(items: list[StreamItem], last_id: str) -> list[StreamItem]:
    cursor = cursor_from(last_id)
    return [one for number, one in enumerate(items) if not cursor.covers(one, number)]


def test_an_id_says_what_was_read_whatever_the_order_in_which_it_came() -> None:
    asked = replace(question("c1"), session_seq=BASE + 1)
    live: list[StreamItem] = [*log(), word(1), word(2), asked, word(3)]
    replayed: list[StreamItem] = [*log(), asked, word(1), word(2), word(3)]
    cursor = RunCursor()

    for count, item in enumerate(live, start=1):
        cursor = cursor.after(item)
        assert sorted(map(str, unseen(replayed, cursor.id))) == sorted(map(str, live[count:]))


def test_words_that_were_read_and_lost_hide_nothing_that_follows() -> None:
    lost = log(abandoned())[-1]
    again = [word(1, lost.session_seq), word(2, lost.session_seq)]

    assert unseen([*log(), lost, *again], RunCursor(Position(BASE, BASE, 9)).id) == [lost, *again]


def test_a_number_still_says_how_many_events_were_read() -> None:
    items: list[StreamItem] = [*log(), word(1), word(2)]

    assert unseen(items, "2") == items[3:]


def test_an_empty_cursor_is_the_beginning() -> None:
    assert cursor_from(read_texts(RunEventsQuery, {"after": ""}).after) == RunCursor()


@pytest.mark.parametrize("given", ["x", "-1", "1.2", "1.2.3.4", "1..2", "1" * 16, "\u0661", "1\n"])
def test_anything_else_is_no_cursor(given: str) -> None:
    with pytest.raises(InvalidRequest, match="after must be the id of an event, or its number"):
        read_texts(RunEventsQuery, {"after": given})


@pytest.mark.parametrize(
    ("given", "is_within"),
    [("5.5.1", True), ("5.4.1", True), ("6.4.1", False), ("4.5.1", False), ("", True), ("999", True)],
)
def test_a_position_is_within_a_log_that_has_reached_it(given: str, is_within: bool) -> None:
    assert cursor_from(given).is_within(5) is is_within
