"""The numbers of new facts: without a gap in their session, and in their turn if they have one."""

from tests.store.nouns import a_turn, some_events
from wakeful.model.event import Event, NewEvent, Quote
from wakeful.model.opening import Opening
from wakeful.model.words import WordsEnd
from wakeful.store.numbering import number, opened


def test_facts_of_a_turn_follow_the_last_numbers_and_keep_all_they_have() -> None:
    quote = Quote(1, 2, {"content": "x"})
    ends = WordsEnd(1, 2)
    facts = [NewEvent("message", b"{}", quote=quote), NewEvent("done", b"[]", ends)]

    assert number(facts, "s1", 10, "t1", 3, 5.0) == [
        Event("s1", 11, "t1", 4, "message", b"{}", 5.0, None, quote),
        Event("s1", 12, "t1", 5, "done", b"[]", 5.0, ends, None),
    ]


def test_facts_of_a_session_have_no_number_in_a_turn() -> None:
    (event,) = number(some_events(1), "s1", 0, None, 7, 5.0)

    assert (event.session_seq, event.turn_id, event.turn_seq) == (1, None, None)


def test_an_opening_has_the_facts_of_its_turn_first_and_then_those_of_its_session() -> None:
    opening = Opening(a_turn(opened_at=0.0), facts=tuple(some_events(2)), session_facts=tuple(some_events(2)))

    written = opened(opening, 10, 5.0)

    assert [(event.session_seq, event.turn_id, event.turn_seq) for event in written.events] == [
        (11, "t1", 1),
        (12, "t1", 2),
        (13, None, None),
        (14, None, None),
    ]
    assert {event.at for event in written.events} == {5.0}
    assert written.turn == a_turn(opened_at=5.0)


def test_a_turn_that_knows_when_it_was_opened_keeps_it() -> None:
    assert opened(Opening(a_turn(opened_at=2.0)), 0, 5.0).turn.opened_at == 2.0
