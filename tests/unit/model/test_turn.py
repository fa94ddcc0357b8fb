"""Turns: which of a deleted session can go, and with whom a turn ends."""

import pytest

from tests.store.nouns import a_row, a_session, a_turn
from wakeful.model.event import NewEvent
from wakeful.model.inbox import RowStatus
from wakeful.model.opening import Closing, Opening
from wakeful.model.session import TitleOrigin
from wakeful.model.turn import Lease, Outcome, TurnStatus, removable_turns


@pytest.mark.parametrize(
    ("children", "held", "gone"),
    [
        ({"t1": ["t2"], "t2": ["t3"]}, [], ["t3", "t2", "t1"]),
        ({"t1": ["t2"], "t2": ["t3"]}, ["t3"], []),
        ({"t1": ["t2"], "t2": ["t3"]}, ["t2"], ["t3"]),
        # Another session has branched off.
        ({"t1": ["t2", "of_another"], "t2": ["t3"]}, [], ["t3", "t2"]),
        ({}, [], ["t3", "t2", "t1"]),
    ],
)
def test_turns_stay_that_something_grows_from(children: dict[str, list[str]], held: list[str], gone: list[str]) -> None:
    assert removable_turns(["t3", "t2", "t1"], children, held) == gone


def test_a_turn_that_was_resumed_was_taken_over() -> None:
    assert [a_turn(epoch=epoch).was_taken_over for epoch in (1, 2)] == [False, True]
    assert a_turn(epoch=2).lease == Lease("t1", "s1", "node1", 2)


def test_a_sub_agent_in_memory_ends_with_the_turn_it_works_for() -> None:
    assert (a_turn().root_id, a_turn(works_for="t0").root_id) == ("t1", "t0")


def test_only_a_running_turn_goes_on() -> None:
    assert [status for status in TurnStatus if not status.is_final] == [TurnStatus.RUNNING]


def test_the_rows_of_an_opening_are_claimed_by_its_turn() -> None:
    opening = Opening(a_turn(), posted=(a_row("m1"), a_row("m2")))

    assert [(row.status, row.claimed_by) for row in opening.consumed] == [(RowStatus.CLAIMED, "t1")] * 2
    assert opening.new_session is None


@pytest.mark.parametrize(
    ("title", "expected"), [("", ("Mine", TitleOrigin.USER)), ("Words", ("Words", TitleOrigin.WORDS))]
)
def test_a_new_session_is_written_with_its_first_turn_running(title: str, expected: tuple[str, TitleOrigin]) -> None:
    session = Opening(a_turn(), session=a_session(title="Mine"), title=title).new_session

    assert session is not None
    assert (session.active, session.last_seq) == ("t1", 0)
    assert (session.title, session.title_origin) == expected


def test_a_failure_passes_and_an_answer_is_cut_only_if_it_is_said() -> None:
    outcome = Outcome(TurnStatus.FAILED, "model_auth", "No key.")

    assert (outcome.passing, outcome.incomplete) == (False, "")


def test_lists_show_neither_sub_agents_nor_sessions_of_a_single_response() -> None:
    sessions = [
        a_session(),
        a_session(task_id="k1"),
        a_session(is_listed=False),
        a_session(task_id="k1", is_listed=False),
    ]

    assert [session.is_shown for session in sessions] == [True, False, False, False]
    assert [a_session(purge_at=at).is_deleted for at in (None, 1.0)] == [False, True]


def test_a_new_turn_was_neither_resumed_nor_hidden() -> None:
    turn = a_turn()

    assert (turn.was_taken_over, turn.root_id) == (False, "t1")
    assert (turn.resumes, turn.attempt, turn.last_seq, turn.number) == (0, 0, 0, 1)
    assert (turn.is_hidden, turn.is_ephemeral) == (False, False)


def test_an_opening_and_a_closing_hold_nothing_that_is_not_said() -> None:
    opening = Opening(a_turn(), facts=(NewEvent.of("done", {}),), session_facts=(NewEvent.of("todo", {}),))
    closing = Closing(a_turn(), Outcome(TurnStatus.DONE), ())

    assert (opening.count, opening.consumed, opening.releases_hold) == (2, (), False)
    assert (closing.is_held, closing.is_blocked) == (False, False)
