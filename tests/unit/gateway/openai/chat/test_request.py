"""What a client is told about a chat that the server cannot answer as asked."""

from typing import Any

import pytest

from wakeful.gateway.openai.chat.request import in_session, read_chat_request
from wakeful.gateway.openai.errors import ApiError
from wakeful.model.api.request import ClientTool
from wakeful.wire.errors import InvalidRequest


@pytest.mark.parametrize("modalities", ["text", ["text", "audio"], [None]])
def test_other_modalities_than_text_are_refused_with_the_list_to_send(modalities: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_chat_request({"messages": [{"role": "user", "content": "x"}], "modalities": modalities}, frozenset())

    assert str(refused.value) == 'modalities must be ["text"]: the server makes no audio.'


MESSAGES = [{"role": "user", "content": "x"}]
SCHEMA = {"name": "answer", "schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({}, {}),
        ({"temperature": 0, "top_p": 0}, {"temperature": 0, "top_p": 0}),
        ({"presence_penalty": -2, "frequency_penalty": 2}, {"presence_penalty": -2, "frequency_penalty": 2}),
        ({"max_tokens": 1, "max_completion_tokens": 2}, {"max_tokens": 1, "max_completion_tokens": 2}),
        ({"seed": 7, "reasoning_effort": "low"}, {"seed": 7, "reasoning_effort": "low"}),
        ({"stop": ""}, {"stop": ""}),
        ({"stop": []}, {}),
        ({"stop": ["a"]}, {"stop": ["a"]}),
        ({"logit_bias": {"1": 5, "2": None}}, {"logit_bias": {"1": 5}}),
        ({"parallel_tool_calls": True}, {}),
        ({"parallel_tool_calls": False}, {"parallel_tool_calls": False}),
        ({"response_format": {"type": "text"}}, {}),
        ({"response_format": {"type": "json_object"}}, {"response_format": {"type": "json_object"}}),
        (
            {"response_format": {"type": "json_schema", "json_schema": SCHEMA | {"strict": True}}},
            {"response_format": {"type": "json_schema", "json_schema": SCHEMA | {"strict": True}}},
        ),
    ],
)
def test_the_models_endpoint_gets_what_the_client_has_set_and_nothing_else(
    given: dict[str, Any], option: dict[str, Any]
) -> None:
    assert read_chat_request({"messages": MESSAGES} | given, frozenset()).turn.options == option


def test_a_request_is_read_as_it_was_meant() -> None:
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
    body = {
        "messages": MESSAGES,
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [tool],
        "metadata": {"a": "b"},
        "seed": 7,
    }
    asked = read_chat_request(body, frozenset())

    assert (asked.model, asked.is_streamed, asked.includes_usage) == ("m", True, True)
    assert asked.turn.tools == (ClientTool("f", "d", {"type": "object"}),)
    assert asked.turn.echo == {"model": "m", "metadata": {"a": "b"}}
    assert not asked.turn.compacts
    assert in_session(asked).turn.compacts
    plain = read_chat_request({"messages": MESSAGES}, frozenset())
    assert (plain.model, plain.is_streamed, plain.includes_usage, plain.turn.echo) == ("", False, False, {})


CALLS = [
    {"id": "c1", "function": {"name": "f", "arguments": "{}"}},
    {"id": "c2", "function": {"name": "g", "arguments": ""}},
]


@pytest.mark.parametrize(
    ("message", "inputs"),
    [
        ({"role": "system", "content": "s"}, [{"role": "system", "text": "s"}]),
        (
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                    {"type": "text", "text": "b"},
                ],
            },
            [{"role": "user", "text": "ab", "images": ["https://example.org/a.png"]}],
        ),
        (
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
            [{"role": "assistant", "text": "no"}],
        ),
        ({"role": "assistant"}, [{"role": "assistant", "text": ""}]),
        (
            {"role": "assistant", "content": "so", "tool_calls": CALLS},
            [
                {"role": "assistant", "text": "so"},
                {"role": "assistant", "text": "", "calls": [{"id": "c1", "name": "f", "arguments": "{}"}]},
                {"role": "assistant", "text": "", "calls": [{"id": "c2", "name": "g", "arguments": ""}]},
            ],
        ),
        (
            {"role": "assistant", "tool_calls": CALLS[:1]},
            [{"role": "assistant", "text": "", "calls": [{"id": "c1", "name": "f", "arguments": "{}"}]}],
        ),
        (
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
            [{"role": "tool", "text": "done", "call_id": "c1"}],
        ),
    ],
)
def test_a_message_is_read_as_inputs(message: dict[str, Any], inputs: list[Any]) -> None:
    assert read_chat_request({"messages": [message]}, frozenset()).inputs == inputs


SEED = 2**63 - 1


@pytest.mark.parametrize(
    "given",
    [
        {"temperature": 2, "top_p": 1, "presence_penalty": 2, "frequency_penalty": -2},
        {"logit_bias": {"1": 100, "2": -100}},
        {"max_tokens": 1, "max_completion_tokens": 1},
        {"seed": SEED},
        {"seed": -SEED},
        {"stop": ["s"] * 64},
        {"n": 1, "logprobs": False, "top_logprobs": 0, "modalities": ["text"]},
        {"functions": None, "function_call": None, "store": True},
    ],
    ids=lambda given: " ".join(given),
)
def test_what_just_keeps_to_a_limit_is_taken(given: dict[str, Any]) -> None:
    assert read_chat_request({"messages": MESSAGES} | given, frozenset()).inputs


@pytest.mark.parametrize(
    "given",
    [
        {"messages": []},
        {"presence_penalty": 2.1},
        {"presence_penalty": -2.1},
        {"frequency_penalty": 2.1},
        {"logit_bias": {"1": 101}},
        {"logit_bias": {"1": -101}},
        {"max_tokens": 0},
        {"max_completion_tokens": 0},
        {"stop": ["s"] * 65},
        {"n": 0},
        {"n": 2},
        {"logprobs": True},
        {"top_logprobs": 1},
        {"functions": []},
        {"function_call": "auto"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_lies_just_beyond_a_limit_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        read_chat_request({"messages": MESSAGES} | given, frozenset())


def test_two_functions_of_one_name_are_refused_with_the_place_of_the_second() -> None:
    tool = {"type": "function", "function": {"name": "f"}}
    with pytest.raises(ApiError) as refusal:
        read_chat_request({"messages": MESSAGES, "tools": [tool, tool]}, frozenset())

    assert (refusal.value.code, refusal.value.param) == ("duplicate_tool_name", "tools[1].function.name")


def test_a_tool_that_does_not_exist_cannot_be_chosen() -> None:
    choice = {"type": "function", "function": {"name": "f"}}
    with pytest.raises(ApiError) as refusal:
        read_chat_request({"messages": MESSAGES, "tool_choice": choice}, frozenset())
    assert refusal.value.code == "unknown_tool"

    asked = read_chat_request({"messages": MESSAGES, "tool_choice": choice}, frozenset({"f"}))
    assert asked.turn.options == {"tool_choice": choice}
