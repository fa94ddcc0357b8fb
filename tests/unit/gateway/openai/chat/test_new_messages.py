"""Which messages are new after an answer was cut off: the client has seen text that the session does not count."""

from typing import Any

import pytest

from wakeful.gateway.openai.chat.new_messages import KnownChat, without_known_messages
from wakeful.gateway.openai.chat.request import read_chat_request

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
