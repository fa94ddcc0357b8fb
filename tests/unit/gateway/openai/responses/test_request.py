"""The body of a response: what the model's endpoint gets of it, and what is refused."""

from typing import Any

import pytest

from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.responses.request import read_response_request
from wakeful.wire.errors import InvalidRequest

SCHEMA = {"name": "answer", "schema": {"type": "object"}, "description": "d"}


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({}, {}),
        ({"temperature": 0, "top_p": 0}, {"temperature": 0, "top_p": 0}),
        ({"max_output_tokens": 5}, {"max_tokens": 5}),
        ({"reasoning": {"effort": "low"}}, {"reasoning_effort": "low"}),
        ({"parallel_tool_calls": True}, {}),
        ({"parallel_tool_calls": False}, {"parallel_tool_calls": False}),
        ({"text": {"format": {"type": "text"}}}, {}),
        ({"text": {"format": {"type": "json_object"}}}, {"response_format": {"type": "json_object"}}),
        (
            {"text": {"format": {"type": "json_schema"} | SCHEMA}},
            {"response_format": {"type": "json_schema", "json_schema": SCHEMA}},
        ),
    ],
)
def test_the_models_endpoint_gets_what_the_client_has_set_and_nothing_else(
    given: dict[str, Any], option: dict[str, Any]
) -> None:
    assert read_response_request({"input": "x"} | given, frozenset()).turn.options == option


def test_a_request_is_read_as_it_was_meant() -> None:
    body = {"input": "x", "model": "m", "instructions": "be brief", "stream": True, "background": True}
    asked = read_response_request(body | {"conversation": {"id": "conv_1"}}, frozenset())

    assert asked.inputs == [{"role": "user", "text": "x"}]
    assert (asked.model, asked.conversation, asked.previous_response_id) == ("m", "conv_1", "")
    assert (asked.is_streamed, asked.is_stored, asked.is_background) == (True, True, True)
    assert (asked.turn.kind, asked.turn.instructions) == ("response", "be brief")
    assert asked.turn.echo == {name: value for name, value in body.items() if name != "input"} | {
        "conversation": {"id": "conv_1"}
    }
    plain = read_response_request({"input": "x", "conversation": "plans", "store": False}, frozenset())
    assert (plain.conversation, plain.is_streamed, plain.is_stored, plain.is_background) == (
        "plans",
        False,
        False,
        False,
    )


@pytest.mark.parametrize(
    ("given", "code", "param"),
    [
        (
            {"conversation": "plans", "previous_response_id": "resp_1"},
            "mutually_exclusive_parameters",
            "previous_response_id",
        ),
        ({"background": True, "store": False}, "background_requires_store", "background"),
        ({"tool_choice": "required", "max_tool_calls": 0}, "unknown_tool", "tool_choice"),
    ],
)
def test_what_cannot_be_together_is_refused(given: dict[str, Any], code: str, param: str) -> None:
    with pytest.raises(ApiError) as refusal:
        read_response_request({"input": "x"} | given, frozenset({"terminal"}))
    assert (refusal.value.status, refusal.value.code, refusal.value.param) == (400, code, param)


@pytest.mark.parametrize(
    "given",
    [
        {"input": ""},
        {"input": []},
        {"conversation": ""},
        {"conversation": "a\0b"},
        {"conversation": "a" * 257},
        {"temperature": 2.1},
        {"top_p": -0.1},
        {"max_output_tokens": 0},
        {"top_logprobs": 1},
        {"prompt": {"id": "p"}},
        {"truncation": "middle"},
    ],
)
def test_what_lies_beyond_a_limit_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        read_response_request({"input": "x"} | given, frozenset())


METADATA = {f"{number:064}": "v" * 512 for number in range(16)}


@pytest.mark.parametrize(
    "given",
    [
        {"model": "m" * 256, "previous_response_id": "r" * 256},
        {"conversation": "c"},
        {"conversation": "c" * 256},
        {"conversation": {"id": "c" * 256}},
        {"temperature": 2, "top_p": 1, "top_logprobs": 0},
        {"max_output_tokens": 1, "max_tool_calls": 0},
        {"max_output_tokens": 10_000_000, "max_tool_calls": 10_000_000},
        {"reasoning": {"effort": "e" * 32}},
        {"metadata": METADATA},
    ],
    ids=lambda given: " ".join(given),
)
def test_what_just_keeps_to_a_limit_is_taken(given: dict[str, Any]) -> None:
    assert read_response_request({"input": "x"} | given, frozenset()).is_stored


@pytest.mark.parametrize(
    "given",
    [
        {"model": "m" * 257},
        {"previous_response_id": "r" * 257},
        {"conversation": {"id": ""}},
        {"conversation": {"id": "c" * 257}},
        {"temperature": -0.1},
        {"top_p": 1.1},
        {"top_logprobs": -1},
        {"max_output_tokens": 10_000_001},
        {"max_tool_calls": -1},
        {"reasoning": {"effort": "e" * 33}},
        {"metadata": METADATA | {"one more": ""}},
        {"metadata": {"k" * 65: ""}},
        {"metadata": {"k": "v" * 513}},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_lies_just_beyond_a_limit_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        read_response_request({"input": "x"} | given, frozenset())
