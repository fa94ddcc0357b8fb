"""Where words belong that an older version has written down as events."""

from dataclasses import replace

import pytest

from tests.unit.gateway.openai.kit import (
    TURN,
    abandoned,
    cancelled,
    done,
    failed,
    log,
    reasoning,
    result,
    token,
    tool,
    usage,
)
from wakeful.model.event import Event, NewEvent
from wakeful.model.journal.entry import Entry, EntryKind, answer_entry, result_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.older.words import Move, moves_of
from wakeful.model.words import Said, WordsEnd, unpack_cuts

NO_USAGE = Usage(0, 0, 0, 0)


def answer(text: str, thought: str = "", step: int = 1) -> Entry:
    return answer_entry(TURN, Answered(step, AssistantMessage(text, thought), NO_USAGE, is_cut=False))


def moved(turn_log: list[Event], *entries: Entry) -> Move:
    (move,) = moves_of(turn_log, entries)
    return move


def test_the_words_of_an_answer_become_its_cuts() -> None:
    turn_log = log(reasoning("Hm"), token("Hel"), token("lo"), usage(), done())

    move = moved(turn_log, answer("Hello", "Hm"))

    assert move.fact == replace(turn_log[5], ends=WordsEnd(1, base=9, count=3, old=(10, 12)))
    assert move.entry is not None
    assert unpack_cuts(move.entry.cuts or b"") == (-2, 3, 2)
    assert move.numbers == (3, 5)
    assert not move.cuts_answer


def test_each_step_ends_in_the_first_event_of_its_answer() -> None:
    turn_log = log(token("Look."), tool("c1"), usage(), result("c1"), token("Two.", 2), usage(2), done())

    looked = result_entry(TURN, 1, 1, call_id="c1", text="ok", seconds=0.5)
    first, second = moves_of(turn_log, [answer("Look."), looked, answer("Two.", step=2)])

    assert (first.fact.kind, second.fact.kind) == ("tool", "usage")
    assert [move.entry and move.entry.kind for move in (first, second)] == [EntryKind.ANSWER] * 2
    assert second.fact.ends == WordsEnd(2, base=turn_log[5].session_seq, count=1, old=(14, 14))


def test_words_that_are_not_the_answer_stay_with_the_fact() -> None:
    move = moved(log(token("Hello "), usage(), done()), answer("Hello"))

    assert move.entry is None
    assert move.fact.ends is not None
    assert move.fact.ends.said == Said("Hello ", "", (6,))


def test_words_that_were_taken_back_stay_with_the_fact_that_says_so() -> None:
    first, second = moves_of(log(token("He"), abandoned(), token("Hello"), usage(), done()), [answer("Hello")])

    assert first.entry is None
    assert first.fact.ends is not None
    assert first.fact.ends.said == Said("He", "", (2,))
    assert second.entry is not None


@pytest.mark.parametrize("end", [failed(), cancelled()])
def test_words_that_were_cut_off_become_a_cut_answer(end: NewEvent) -> None:
    move = moved(log(reasoning("Hm"), token("Hel"), end))

    assert move.cuts_answer
    assert move.entry is not None
    assert (move.entry.step, move.entry.index, move.entry.kind) == (1, 0, EntryKind.CUT)
    assert move.entry.data == {"text": "Hel", "reasoning": "Hm"}
    assert move.fact.ends == WordsEnd(1, base=9, count=2, old=(10, 11))


def test_a_cut_answer_overwrites_no_other_entry() -> None:
    move = moved(log(token("Hel"), cancelled()), answer("Something else"))

    assert move.entry is None
    assert move.fact.ends is not None
    assert move.fact.ends.said == Said("Hel", "", (3,))


def test_words_before_a_fact_that_tells_of_lost_ones_stay_as_they_are() -> None:
    *turn_log, lost, ended = log(token("Hel"), abandoned(), done())

    assert moves_of([*turn_log, replace(lost, ends=WordsEnd(1, 10, void=1000)), ended], []) == []


def test_an_empty_piece_keeps_its_event() -> None:
    assert moves_of(log(token("Hel"), token(""), usage(), done()), [answer("Hel")]) == []


def test_a_log_without_words_has_nothing_to_move() -> None:
    assert moves_of(log(tool("c1"), usage(), result("c1"), done()), []) == []
