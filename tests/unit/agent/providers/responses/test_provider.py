"""The Responses API, against a server that refuses what the API refuses."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.endpoint import Endpoint, Script
from tests.wires.asking import answer_of, parts_of, sends
from tests.wires.responses import sealed
from tests.wires.wire import named_event
from wakeful.agent.providers.base import AnswerReasoning, AnswerText, Finished, ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.agent.providers.responses.provider import OpenAIResponses
from wakeful.errors import ModelError
from wakeful.model.journal.message import Message, ToolCall, ToolMessage, Usage, UserMessage
from wakeful.tools.base import ToolSpec

_KEY = "sk-very-secret"
_LOOK = ToolSpec("look", "Look.", {"type": "object"})
_CALLS = [{"name": "look", "arguments": {"at": "a"}}, {"name": "look", "arguments": {"at": "b"}}]


@contextlib.asynccontextmanager
async def _provider(endpoint: Endpoint, **more: Any) -> AsyncIterator[OpenAIResponses]:
    settings = EndpointSettings(endpoint.url, _KEY, wire=Wire.RESPONSES, idle_timeout=5.0)
    provider = OpenAIResponses(replace(settings, **more))
    try:
        yield provider
    finally:
        await provider.close()


def _request(*messages: Message, tools: Sequence[ToolSpec] = (), **options: Any) -> ModelRequest:
    return ModelRequest("gpt", "Be kind.", messages or (UserMessage("Hi"),), tools, options, session="s1")


async def _error(script: Script, **more: Any) -> ModelError:
    async with Endpoint(script) as endpoint, _provider(endpoint, **more) as provider:
        with pytest.raises(ModelError) as caught:
            await parts_of(provider, _request())
    return caught.value


async def test_an_answer_is_streamed_part_by_part_with_its_usage() -> None:
    async with Endpoint(Script(tokens=2, reasoning_tokens=1)) as endpoint, _provider(endpoint) as provider:
        parts = await parts_of(provider, _request())

    assert parts[:-1] == [AnswerReasoning("thought0 "), AnswerText("token0 "), AnswerText("token1 ")]
    last = parts[-1]
    assert isinstance(last, Finished)
    assert (last.message.text, last.message.reasoning, last.is_cut) == ("token0 token1 ", "thought0 ", False)
    assert last.usage == Usage(7, 3, cached_tokens=2, reasoning_tokens=1, cache_write_tokens=5)


async def test_nothing_is_kept_there_and_a_session_has_its_cache() -> None:
    async with Endpoint() as endpoint, _provider(endpoint) as provider:
        await parts_of(provider, _request())

    (body,) = endpoint.bodies
    assert (body["store"], body["include"], body["prompt_cache_key"]) == (
        False, ["reasoning.encrypted_content"], "s1",
    )  # fmt: skip
    assert endpoint.tally.headers[0]["authorization"] == f"Bearer {_KEY}"


async def test_reasoning_comes_back_unchanged_and_before_what_followed_it() -> None:
    script = Script(calls=_CALLS, reasoning_tokens=2)
    async with Endpoint(script) as endpoint, _provider(endpoint) as provider:
        said = (await answer_of(provider, _request(tools=[_LOOK]))).message
        results = [ToolMessage(call.id, "seen") for call in said.calls]
        await parts_of(provider, _request(UserMessage("Hi"), said, *results, tools=[_LOOK]))

    _, reasoning, *calls = endpoint.bodies[1]["input"]
    assert reasoning == {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "thought0 thought1 "}],
        "encrypted_content": sealed("rs_1"),
    }
    assert [item["type"] for item in calls] == ["function_call"] * 2 + ["function_call_output"] * 2
    assert [item["call_id"] for item in calls[:2]] == [call.id for call in said.calls]


async def test_items_of_unknown_kinds_go_back_and_thoughts_without_a_beginning_have_no_blank_lines() -> None:
    searched = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    events: list[dict[str, Any]] = [
        {"type": "response.reasoning_summary_text.delta", "delta": "hm"},
        {"type": "response.output_item.done", "item": searched},
        {"type": "response.output_text.delta", "delta": "Found."},
        {"type": "response.completed", "response": {"status": "completed"}},
    ]
    raw = b"".join(named_event(event["type"], event) for event in events)
    async with Endpoint(Script(raw=raw)) as endpoint, _provider(endpoint) as provider:
        said = (await answer_of(provider, _request())).message
        await parts_of(provider, _request(UserMessage("Hi"), said, UserMessage("And?")))

    assert (said.text, said.reasoning) == ("Found.", "hm")
    assert searched in endpoint.bodies[1]["input"]


async def test_reasoning_of_another_provider_is_left_out() -> None:
    async with Endpoint(Script(reasoning_tokens=1)) as endpoint:
        async with _provider(endpoint) as provider:
            said = (await answer_of(provider, _request())).message
        async with _provider(endpoint, name="other") as provider:
            await parts_of(provider, _request(UserMessage("Hi"), said, UserMessage("And?")))

    assert [item.get("type", item["role"]) for item in endpoint.bodies[1]["input"]] == ["user", "message", "user"]


async def test_reasoning_that_cannot_be_verified_is_left_out_of_a_second_try() -> None:
    async with Endpoint(Script(reasoning_tokens=1)) as endpoint, _provider(endpoint) as provider:
        said = (await answer_of(provider, _request())).message
        assert said.native is not None
        forged = {"block": {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "of another"}}
        native = replace(said.native, parts=(forged, *said.native.parts[1:]))
        await parts_of(provider, _request(UserMessage("Hi"), replace(said, native=native), UserMessage("And?")))

    assert [len(body["input"]) for body in endpoint.bodies] == [1, 4, 3]


async def test_the_phase_of_a_message_comes_back_and_two_messages_are_two_paragraphs() -> None:
    events: list[tuple[str, dict[str, Any]]] = []
    for number, phase in enumerate(("commentary", "final_answer")):
        item = {"id": f"m{number}", "type": "message", "role": "assistant", "content": [], "phase": phase}
        events += [
            ("response.output_item.added", {"item": item}),
            ("response.output_text.delta", {"delta": f"words{number}"}),
            ("response.output_item.done", {"item": item}),
        ]
    script = sends(*events, ("response.completed", {"response": {"status": "completed"}}))
    async with Endpoint([script, Script()]) as endpoint, _provider(endpoint) as provider:
        said = (await answer_of(provider, _request())).message
        await parts_of(provider, _request(UserMessage("Hi"), said, UserMessage("And?")))

    assert said.text == "words0\n\nwords1"
    assert [item.get("phase") for item in endpoint.bodies[1]["input"]] == [None, "commentary", "final_answer", None]


@pytest.mark.parametrize(
    ("words", "field", "left"),
    [
        ("Unsupported parameter: 'reasoning.summary' is not supported with this model.", "reasoning", ["include"]),
        ("Encrypted content is not supported with this model.", "include", ["reasoning"]),
    ],
)
async def test_what_a_model_refuses_is_not_sent_to_it_again(words: str, field: str, left: list[str]) -> None:
    refusal = Script(status=400, error={"type": "invalid_request_error", "message": words})
    async with Endpoint([refusal, Script()]) as endpoint, _provider(endpoint) as provider:
        await parts_of(provider, _request())
        await parts_of(provider, _request())
        await parts_of(provider, replace(_request(), model="another"))

    assert [field in body for body in endpoint.bodies] == [True, False, False, True]
    assert all(name in endpoint.bodies[1] for name in left)


async def test_a_text_that_reached_the_limit_is_a_cut_answer() -> None:
    async with Endpoint(Script(finish_reason="length")) as endpoint, _provider(endpoint) as provider:
        assert (await answer_of(provider, _request())).is_cut


def _failing(status: int, code: str, message: str = "words") -> Script:
    return Script(status=status, error={"code": code, "message": message})


def _failed(code: str) -> Script:
    error = {"code": code, "message": "words"}
    return sends(("response.created", {}), ("response.failed", {"response": {"status": "failed", "error": error}}))


@pytest.mark.parametrize(
    ("script", "code", "passing"),
    [
        (Script(finish_reason="content_filter"), "content_filter", False),
        (Script(finish_reason="length", calls=[{"name": "look", "arguments": '{"at": '}]), "output_limit", False),
        (_failing(429, "insufficient_quota"), "model_credit", False),
        (_failing(429, "rate_limit_exceeded"), "model_rate_limited", True),
        (_failing(401, "invalid_api_key"), "model_auth", False),
        (_failing(404, "model_not_found"), "model_not_found", False),
        (_failing(400, "context_length_exceeded"), "context_overflow", False),
        (_failing(503, "server_error"), "model_unavailable", True),
        (_failed("server_error"), "model_unavailable", True),
        (_failed("rate_limit_exceeded"), "model_rate_limited", True),
        (_failed("invalid_prompt"), "model_request", False),
        (_failed("bio_policy"), "content_filter", False),
        (_failed("invalid_image"), "model_request", False),
        (Script(error_after=1), "model_unavailable", True),
        (
            sends(("error", {"error": {"code": "context_length_exceeded", "message": "long"}})),
            "context_overflow",
            False,
        ),
        (Script(break_after=2), "model_stream_broken", True),
        (sends(("response.created", {})), "model_stream_broken", True),
        (Script(raw=b"<html>", content_type="text/html"), "model_request", False),
    ],
)
async def test_each_failure_has_its_code(script: Script, code: str, passing: bool) -> None:
    error = await _error(script)

    assert (error.code, error.passing) == (code, passing)


async def test_an_endpoint_that_does_not_end_its_items_is_understood() -> None:
    script = sends(
        ("response.output_text.delta", {"delta": "words"}),
        ("response.completed", {"response": {"status": "completed"}}),
    )
    async with Endpoint(script) as endpoint, _provider(endpoint) as provider:
        assert (await answer_of(provider, _request())).message.text == "words"


async def test_calls_are_read_from_their_items() -> None:
    async with Endpoint(Script(calls=_CALLS)) as endpoint, _provider(endpoint) as provider:
        answer = await answer_of(provider, _request(tools=[_LOOK]))

    assert answer.message.calls == (
        ToolCall("call_1_0", "look", '{"at":"a"}'), ToolCall("call_1_1", "look", '{"at":"b"}'),
    )  # fmt: skip
    assert answer.message.native is None


async def test_closing_the_stream_stops_the_model() -> None:
    async with Endpoint(Script(tokens=1000, rate=100)) as endpoint, _provider(endpoint) as provider:
        stream = provider.stream(_request())
        assert await anext(stream) == AnswerText("token0 ")
        await stream.aclose()
        await endpoint.wait_for(dropped=1)
