"""Errors: each says what it is for, unless it is given better words."""

import pytest

from wakeful.errors import (
    ModelError,
    NameTaken,
    RequestNotUnderstood,
    SessionBusy,
    StoreError,
    TurnFailed,
    WakefulError,
)


def test_an_error_has_the_words_that_it_is_given_or_those_of_its_kind() -> None:
    assert str(StoreError("The disk is gone.")) == "The disk is gone."
    assert str(StoreError()) == "The database could not do what was asked."
    assert str(SessionBusy("turn_1")) == "The session is busy with another turn."
    assert str(RequestNotUnderstood()).startswith("This turn's request is stored in a form")
    assert str(NameTaken()).endswith("send this one again.")


def test_an_error_without_any_words_is_still_one() -> None:
    class Wordless(WakefulError):
        pass

    Wordless.__doc__ = None
    assert str(Wordless()) == ""


@pytest.mark.parametrize("kind", [TurnFailed, ModelError])
def test_the_end_of_a_turn_is_for_good_unless_it_is_said_to_pass(kind: type[TurnFailed]) -> None:
    for_good, passing = kind("Words.", code="broken"), kind("Words.", code="broken", passing=True)

    assert (str(for_good), for_good.code, for_good.passing) == ("Words.", "broken", False)
    assert passing.passing


def test_a_failure_of_a_model_says_when_to_try_again_and_how_much_it_reads() -> None:
    error = ModelError("Words.", code="busy", retry_after=5.0, window=100)

    assert (error.retry_after, error.window) == (5.0, 100)
    assert RequestNotUnderstood().code == "request_not_understood"
    assert SessionBusy("turn_1").active_turn_id == "turn_1"
