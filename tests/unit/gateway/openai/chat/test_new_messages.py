"""Which messages are new after an answer was cut off: the client has seen text that the session does not count."""

from typing import Any

import pytest

from wakeful.gateway.openai.chat.new_messages import KnownChat, without_known_messages
from wakeful.gateway.openai.chat.request import read_chat_request
from wakeful.gateway.openai.errors import ApiError

ASKED, STOPPED, NEXT = "one", "two and a h", "three"
CUT = KnownChat(has_history=True, cut_off="two and a half")


def new_messages(known: KnownChat, *said: tuple[str, str]) -> list[tuple[str, str]]:
    messages: Any = [{"role": role, "content": text} for role, text in said]
    asked = read_chat_request({"messages": messages}, frozenset())
    return [(given["role"], given["text"]) for given in without_known_messages(asked, known).inputs]


def test_an_answer_that_was_cut_off_is_new_with_the_question_to_it() -> None:
    before = [("user", "zero"), ("assistant", "whole")]
    cut = [("user", ASKED), ("assistant", STOPPED), ("user", NEXT)]

    assert new_messages(CUT, *before, *cut) == cut
    assert new_messages(CUT, *cut) == cut


def test_where_the_stopped_turn_is_history_only_what_was_cut_off_is_new() -> None:
    known = KnownChat(has_history=True, recorded="Look. ", cut_off="two and a half", has_cut_turn=True)

    said = new_messages(known, ("user", ASKED), ("assistant", f"Look. {STOPPED}"), ("user", NEXT))

    assert said == [("assistant", STOPPED), ("user", NEXT)]


@pytest.mark.parametrize("known", [CUT, KnownChat(has_history=True, recorded="a whole answer")])
def test_any_other_answer_is_known(known: KnownChat) -> None:
    assert new_messages(known, ("user", ASKED), ("assistant", "a whole answer"), ("user", NEXT)) == [("user", NEXT)]


def test_without_history_everything_is_new() -> None:
    said = [("user", ASKED), ("assistant", "a whole answer"), ("user", NEXT)]

    assert new_messages(KnownChat(), *said) == said
    assert new_messages(KnownChat(has_history=True), ("user", ASKED)) == [("user", ASKED)]


def test_after_the_last_of_several_answers_everything_is_new() -> None:
    said = [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d"), ("user", "e"), ("user", "f")]

    assert new_messages(KnownChat(has_history=True), *said) == said[-2:]
    assert new_messages(KnownChat(has_history=True, cut_off="d and so on"), *said) == said[2:]


@pytest.mark.parametrize("known", [KnownChat(has_history=True), CUT], ids=["whole", "cut"])
def test_a_chat_that_ends_with_an_answer_says_nothing_new(known: KnownChat) -> None:
    with pytest.raises(ApiError) as refusal:
        new_messages(known, ("user", ASKED), ("assistant", STOPPED))

    assert (refusal.value.status, refusal.value.code, refusal.value.param) == (400, "nothing_new", "messages")


def test_an_answer_of_which_the_client_saw_only_what_is_recorded_is_known() -> None:
    known = KnownChat(has_history=True, recorded="Look.", cut_off=" two", has_cut_turn=True)

    assert new_messages(known, ("user", ASKED), ("assistant", "Look."), ("user", NEXT)) == [("user", NEXT)]
    assert new_messages(known, ("user", ASKED), ("assistant", "Look. "), ("user", NEXT))[0] == ("assistant", " ")


def test_instructions_are_those_of_one_turn_and_no_messages() -> None:
    messages = [{"role": role, "content": role} for role in ("system", "user", "developer")]
    asked = read_chat_request({"messages": messages}, frozenset())
    new = without_known_messages(asked, KnownChat(has_history=True))

    assert ([given["role"] for given in new.inputs], new.turn.instructions) == (["user"], "system\n\ndeveloper")
