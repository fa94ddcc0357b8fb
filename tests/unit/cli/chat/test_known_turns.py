"""What a wake-up has waited for."""

from typing import Any

from wakeful.cli.chat.known_turns import KnownTurns


def turn(number: int, opened: int, closed: int | None) -> dict[str, Any]:
    ended = None if closed is None else f"2026-01-01T00:00:{closed:02}Z"
    return {"number": number, "opened_at": f"2026-01-01T00:00:{opened:02}Z", "closed_at": ended}


def test_it_has_waited_for_the_turn_before_if_that_ran_when_it_was_posted() -> None:
    turns = KnownTurns()
    turns.learn({"a": turn(1, 0, 10), "b": turn(2, 10, 20), "c": turn(3, 40, None)})

    assert turns.waited_for("b", 5.0) == 1
    # The session was idle: something else has held it back.
    assert turns.waited_for("c", 5.0) is None
    assert turns.waited_for("a", 5.0) is None


def test_of_a_turn_that_has_just_been_opened_the_one_before_has_just_ended() -> None:
    turns = KnownTurns()
    turns.learn({"a": turn(1, 0, None)})
    assert turns.waited_for("new", 5.0) is None

    turns.hear_end("a")

    assert (turns.waited_for("new", 5.0), turns.waited_for("new", 0.0)) == (1, None)


def test_a_turn_that_still_ran_is_not_waited_for_and_neither_is_an_unknown_one() -> None:
    turns = KnownTurns()
    turns.learn({"a": turn(1, 0, None), "b": turn(2, 10, 20), "d": turn(4, 21, None)})

    assert turns.waited_for("b", 5.0) is None
    assert turns.waited_for("d", 5.0) is None
    # The turn before it ended exactly when it was posted.
    turns.learn({"a": turn(1, 0, 5)})
    assert turns.waited_for("b", 5.0) is None
    assert turns.waited_for("b", 5.1) == 1
