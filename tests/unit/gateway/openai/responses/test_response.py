"""The response object: every key at every moment, and the echo of the request."""

from dataclasses import replace
from typing import Any

import msgspec
from openai.types.responses import Response

from tests.unit.gateway.openai.kit import FACTS, done, fold, last_response, log, token
from wakeful.gateway.openai.responses.projection import ResponseProjection
from wakeful.gateway.openai.responses.response import ConversationRef, ResponseForm, ResponseState

UNASKED: dict[str, Any] = {
    "id": FACTS.id,
    "object": "response",
    "created_at": 1_700_000_000,
    "status": "in_progress",
    "background": False,
    "completed_at": None,
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "model": "wakeful",
    "output": [],
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "conversation": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": "default",
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "usage": None,
    "user": None,
}


def made(request: dict[str, Any]) -> dict[str, Any]:
    response: dict[str, Any] = msgspec.to_builtins(ResponseForm(FACTS, request).fill(ResponseState("in_progress"), []))
    return response


def test_where_nothing_was_asked_every_key_has_its_default() -> None:
    assert made({}) == UNASKED
    assert made(dict.fromkeys(UNASKED)) == UNASKED


def test_the_keys_are_the_same_from_the_first_moment_to_the_last() -> None:
    projection = ResponseProjection(FACTS, {})
    before = msgspec.to_builtins(projection.response())

    frames = fold(log(token("Hi"), done()), projection)

    assert before.keys() == last_response(frames).keys() == UNASKED.keys()


def test_what_the_client_asked_for_is_echoed() -> None:
    asked = {
        "instructions": "Be brief.",
        "max_output_tokens": 20,
        "max_tool_calls": 3,
        "metadata": {"a": "b"},
        "parallel_tool_calls": False,
        "prompt_cache_key": "p",
        "safety_identifier": "si",
        "service_tier": "flex",
        "temperature": 0.0,
        "tool_choice": {"type": "function", "name": "f"},
        "top_logprobs": 2,
        "top_p": 0.5,
        "truncation": "auto",
        "user": "u",
    }

    assert made(asked) == UNASKED | asked


def test_half_given_objects_are_completed() -> None:
    tool = {"type": "function", "name": "f", "parameters": {"type": "object"}}

    response = made({"reasoning": {"effort": "low"}, "text": {"verbosity": "low", "format": None}, "tools": [tool]})

    assert response["reasoning"] == {"effort": "low", "summary": None}
    assert response["text"] == {"format": {"type": "text"}, "verbosity": "low"}
    assert response["tools"] == [tool | {"description": None, "strict": None}]
    Response.model_validate(response)


def test_an_automatic_service_tier_is_the_default_one() -> None:
    assert made({"service_tier": "auto"})["service_tier"] == "default"


def test_what_the_server_decides_is_not_taken_from_the_request() -> None:
    given = {"id": "resp_x", "status": "failed", "output": [1], "usage": {}, "model": "other", "created_at": 1}

    assert made(given) == UNASKED


def test_facts_have_their_fields() -> None:
    facts = replace(FACTS, previous_response_id="resp_a", conversation_id="conv_a", is_stored=False, is_background=True)

    response = ResponseForm(facts, {}).fill(ResponseState("queued"), [])

    assert response.previous_response_id == "resp_a"
    assert response.conversation == ConversationRef(id="conv_a")
    assert (response.store, response.background, response.status) == (False, True, "queued")
