"""Calls that one model has made can be sent to any other."""

import re

import pytest

from wakeful.agent.fitting_calls import fitting_calls
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, UserMessage


@pytest.mark.parametrize("call_id", ["", "x" * 41, "call.1", "call 1", "chatcmpl-tool-" + "0" * 32])
def test_an_id_that_not_all_endpoints_take_is_replaced(call_id: str) -> None:
    [call] = fitting_calls([ToolCall(call_id, "look", "{}")], (), {"look"})

    assert re.fullmatch("[a-z0-9_]{1,40}", call.id)


def test_ids_are_unique_in_the_conversation_and_fit_ones_stay() -> None:
    before: list[Message] = [UserMessage("hi"), AssistantMessage("", calls=(ToolCall("taken", "look", "{}"),))]
    calls = [ToolCall(call_id, "look", "{}") for call_id in ("taken", "toolu_01-A", "toolu_01-A")]

    first, second, third = (call.id for call in fitting_calls(calls, before, {"look"}))

    assert (second, len({first, second, third, "taken"})) == ("toolu_01-A", 4)


@pytest.mark.parametrize(
    ("name", "recorded"),
    [
        ("look", "look"),
        ("functions.look", "functions_look"),
        ("client.tool", "client.tool"),
        ("a" * 70, "a" * 64),
        ("", "unnamed"),
    ],
)
def test_a_name_that_was_not_offered_is_made_to_fit(name: str, recorded: str) -> None:
    [call] = fitting_calls([ToolCall("c1", name, "{}")], (), {"look", "client.tool"})

    assert (call.name, call.arguments) == (recorded, "{}")
