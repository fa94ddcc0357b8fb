"""What is new in a chat whose last answer was cut off: its client has seen what the session does not count as said."""

from typing import Any

import pytest

from wakeful.gateway.openai.chat.news import Known, in_session
from wakeful.gateway.openai.chat.request import read_chat_request

ASKED, STOPPED, NEXT = "one", "two and a h", "three"
CUT = Known(has_history=True, cut_off="two and a half")


def news(known: Known, *said: tuple[str, str]) -> list[tuple[str, str]]:
    messages: Any = [{"role": role, "content": text} for role, text in said]
    asked = read_chat_request({"messages": messages}, frozenset())
    return [(given["role"], given["text"]) for given in in_session(asked, known).inputs]


def test_an_answer_that_was_cut_off_is_new_with_the_question_to_it() -> None:
    before = [("user", "zero"), ("assistant", "whole")]
    cut = [("user", ASKED), ("assistant", STOPPED), ("user", NEXT)]

    assert news(CUT, *before, *cut) == cut
    assert news(CUT, *cut) == cut


def test_where_the_stopped_turn_is_history_only_what_was_cut_off_is_new() -> None:
    known = Known(has_history=True, recorded="Look. ", cut_off="two and a half", has_cut_turn=True)

    said = news(known, ("user", ASKED), ("assistant", f"Look. {STOPPED}"), ("user", NEXT))

    assert said == [("assistant", STOPPED), ("user", NEXT)]


@pytest.mark.parametrize("known", [CUT, Known(has_history=True, recorded="a whole answer")])
def test_any_other_answer_is_known(known: Known) -> None:
    assert news(known, ("user", ASKED), ("assistant", "a whole answer"), ("user", NEXT)) == [("user", NEXT)]
