"""The Messages API, against a server that refuses what the API refuses."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.endpoint import Endpoint, Script
from tests.wires.asking import answer_of, parts_of, sends
from tests.wires.messages import signature
from tests.wires.wire import named_event
from wakeful.agent.providers.anthropic.provider import AnthropicMessages
from wakeful.agent.providers.base import AnswerReasoning, AnswerText, Finished, ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.errors import ModelError
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, ToolMessage, Usage, UserMessage
from wakeful.tools.base import ToolSpec

_KEY = "sk-ant-very-secret"
_LOOK = ToolSpec("look", "Look.", {"type": "object"})
_CALLS = [{"name": "look", "arguments": {"at": "a"}}, {"name": "look", "arguments": {"at": "b"}}]


@contextlib.asynccontextmanager
async def _provider(endpoint: Endpoint, **more: Any) -> AsyncIterator[AnthropicMessages]:
    settings = EndpointSettings(
        endpoint.root, _KEY, name="claude", wire=Wire.ANTHROPIC, key_setting="MY_KEY", url_setting="MY_URL"
    )
    provider = AnthropicMessages(replace(settings, **{"idle_timeout": 5.0, **more}))
    try:
        yield provider
    finally:
        await provider.close()


def _request(*messages: Message, tools: Sequence[ToolSpec] = (), **options: Any) -> ModelRequest:
    return ModelRequest("opus", "Be kind.", messages or (UserMessage("Hi"),), tools, options)


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
    assert last.usage == Usage(10, 3, cached_tokens=2, reasoning_tokens=1, cache_write_tokens=5)


async def test_the_key_and_the_version_are_sent_as_the_api_wants_them() -> None:
    async with Endpoint() as endpoint, _provider(endpoint, headers={"X-Team": "blue"}) as provider:
        await parts_of(provider, _request())

    headers = endpoint.tally.headers[0]
    assert (headers["x-api-key"], headers["anthropic-version"], headers["x-team"]) == (_KEY, "2026-10-21", "blue")
    assert "authorization" not in headers


async def test_a_copy_of_the_api_may_be_asked_in_its_older_version() -> None:
    async with Endpoint() as endpoint, _provider(endpoint, headers={"Anthropic-Version": "2023-06-01"}) as provider:
        await parts_of(provider, _request())

    assert endpoint.tally.headers[0]["anthropic-version"] == "2023-06-01"


async def test_thinking_comes_back_signed_and_in_its_place_with_all_results_in_one_message() -> None:
    script = Script(calls=_CALLS, reasoning_tokens=2, hidden_reasoning=True)
    async with Endpoint(script) as endpoint, _provider(endpoint) as provider:
        said = (await answer_of(provider, _request(tools=[_LOOK]))).message
        results = [ToolMessage(said.calls[0].id, "seen"), ToolMessage(said.calls[1].id, "gone", is_error=True)]
        await parts_of(provider, _request(UserMessage("Hi"), said, *results, tools=[_LOOK]))

    asked, answered, resulted = endpoint.bodies[1]["messages"]
    assert [call.arguments for call in said.calls] == ['{"at":"a"}', '{"at":"b"}']
    assert [block["type"] for block in answered["content"]] == ["thinking", "redacted_thinking", "tool_use", "tool_use"]
    assert answered["content"][0]["signature"] == signature("thought0 thought1 ")
    assert [block.get("is_error") for block in resulted["content"]] == [None, True]
    assert asked["role"] == resulted["role"] == "user"


async def test_an_event_without_a_kind_or_a_delta_is_ignored() -> None:
    words = {"type": "text_delta", "text": "Hi"}
    script = sends(
        ("message_start", {"message": {}}),
        ("odd", {"type": []}),
        ("content_block_delta", {"delta": None}),
        ("content_block_delta", {"delta": words}),
        ("message_delta", {"delta": {"stop_reason": "end_turn"}}),
        ("message_stop", {}),
    )
    async with Endpoint(script) as endpoint, _provider(endpoint) as provider:
        assert (await answer_of(provider, _request())).message.text == "Hi"


async def test_thinking_of_another_provider_is_left_out() -> None:
    async with Endpoint(Script(reasoning_tokens=1)) as endpoint:
        async with _provider(endpoint) as provider:
            said = (await answer_of(provider, _request())).message
        async with _provider(endpoint, name="other") as provider:
            await parts_of(provider, _request(UserMessage("Hi"), said, UserMessage("And?")))

    assert [block["type"] for block in endpoint.bodies[1]["messages"][1]["content"]] == ["text"]


async def test_thinking_that_the_endpoint_does_not_know_as_its_own_is_left_out_of_a_second_try() -> None:
    async with Endpoint(Script(reasoning_tokens=1)) as endpoint, _provider(endpoint) as provider:
        said = (await answer_of(provider, _request())).message
        assert said.native is not None
        (block, *rest) = said.native.parts
        forged = {"block": {**block["block"], "signature": "sig-of-another-account"}}
        native = replace(said.native, parts=(forged, *rest))
        again = await answer_of(
            provider, _request(UserMessage("Hi"), replace(said, native=native), UserMessage("And?"))
        )

    assert again.message.text == "token0 token1 token2 "
    assert len(endpoint.bodies) == 3


async def test_an_answer_that_pauses_goes_on_and_is_one_answer() -> None:
    search = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    paused = sends(
        ("message_start", {"message": {"usage": {"input_tokens": 4}}}),
        ("content_block_start", {"index": 0, "content_block": search}),
        ("content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"q": "x"}'}}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": "pause_turn"}, "usage": {"output_tokens": 2}}),
        ("message_stop", {}),
    )
    async with Endpoint([paused, Script(text="Found.", tokens=1)]) as endpoint, _provider(endpoint) as provider:
        answer = await answer_of(provider, _request())

    assert endpoint.bodies[1]["messages"][-1] == {"role": "assistant", "content": [search | {"input": {"q": "x"}}]}
    assert answer.message.text == "Found."
    assert answer.usage == Usage(14, 3, cached_tokens=2, cache_write_tokens=5)


async def test_a_text_that_reached_the_limit_is_a_cut_answer() -> None:
    async with Endpoint(Script(finish_reason="length")) as endpoint, _provider(endpoint) as provider:
        assert (await answer_of(provider, _request())).is_cut


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        (Script(finish_reason="length", calls=[{"name": "look", "arguments": '{"at": '}]), "output_limit", "limit"),
        (Script(finish_reason="length", calls=[{"name": "look", "arguments": ""}]), "output_limit", "limit"),
        (Script(finish_reason="content_filter"), "content_filter", "It looks like an attack"),
        (Script(finish_reason="model_context_window_exceeded"), "context_overflow", "longer than the model"),
    ],
)
async def test_an_answer_without_use_is_an_error(script: Script, code: str, words: str) -> None:
    error = await _error(script)

    assert (error.code, error.passing) == (code, False)
    assert words in str(error)


def _failing(status: int, kind: str, message: str = "words", **more: Any) -> Script:
    return Script(status=status, error={"type": kind, "message": message, **more})


@pytest.mark.parametrize(
    ("script", "code", "passing"),
    [
        (_failing(529, "overloaded_error"), "model_unavailable", True),
        (_failing(500, "api_error"), "model_unavailable", True),
        (_failing(504, "timeout_error"), "model_timeout", True),
        (_failing(429, "rate_limit_error"), "model_rate_limited", True),
        (_failing(401, "authentication_error"), "model_auth", False),
        (_failing(403, "permission_error"), "model_auth", False),
        (_failing(404, "not_found_error"), "model_not_found", False),
        (_failing(402, "billing_error"), "model_credit", False),
        (_failing(400, "invalid_request_error", "Your credit balance is too low to access it."), "model_credit", False),
        (
            _failing(429, "rate_limit_error", details={"error_code": "enforced_spend_limit_reached"}),
            "model_credit",
            False,
        ),
        (_failing(400, "invalid_request_error", "prompt is too long: 9 > 8 maximum"), "context_overflow", False),
        (_failing(400, "invalid_request_error"), "model_request", False),
        (Script(error_after=1, error={"type": "overloaded_error", "message": "Overloaded"}), "model_unavailable", True),
        (Script(error_after=1, error={"type": "rate_limit_error", "message": "slow"}), "model_rate_limited", True),
        (Script(break_after=2), "model_stream_broken", True),
        (Script(raw=named_event("message_start", {"message": {}})), "model_stream_broken", True),
        (Script(raw=b"<html>", content_type="text/html"), "model_request", False),
        (Script(hang_after=1), "model_timeout", True),
    ],
)
async def test_each_failure_has_its_code(script: Script, code: str, passing: bool) -> None:
    error = await _error(script, idle_timeout=0.2)

    assert (error.code, error.passing) == (code, passing)


async def test_advice_names_the_settings_of_the_provider_and_never_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    refused = await _error(_failing(401, "authentication_error", f"invalid x-api-key {_KEY}"))
    unknown = await _error(_failing(404, "not_found_error", f"model: x for {_KEY}"))

    assert str(refused).endswith("refused the API key (401); check MY_KEY.")
    assert str(unknown).endswith("check the model's name and MY_URL.")
    assert _KEY not in f"{refused} {unknown} {caplog.text}"


async def test_a_missing_key_is_one_sentence_and_nothing_is_sent() -> None:
    async with Endpoint() as endpoint, _provider(endpoint, api_key="", needs_key=True) as provider:
        with pytest.raises(ModelError) as caught:
            await parts_of(provider, _request())

    assert caught.value.code == "model_auth"
    assert str(caught.value).endswith("/v1/messages needs an API key; set MY_KEY and start Wakeful again.")
    assert endpoint.tally.requests == 0


async def test_a_model_that_writes_less_is_asked_for_less_from_then_on() -> None:
    words = "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for opus"
    refusal = _failing(400, "invalid_request_error", words)
    async with Endpoint([refusal, Script()]) as endpoint, _provider(endpoint) as provider:
        await parts_of(provider, _request())
        await parts_of(provider, _request())

    assert [body["max_tokens"] for body in endpoint.bodies] == [32_000, 8192, 8192]


async def test_an_answer_may_be_as_long_as_the_model_is_known_to_allow() -> None:
    async with Endpoint(Script()) as endpoint, _provider(endpoint) as provider:
        await parts_of(provider, replace(_request(), max_output=64_000))

    assert [body["max_tokens"] for body in endpoint.bodies] == [64_000]


async def test_closing_the_stream_stops_the_model() -> None:
    async with Endpoint(Script(tokens=1000, rate=100)) as endpoint, _provider(endpoint) as provider:
        stream = provider.stream(_request())
        assert await anext(stream) == AnswerText("token0 ")
        await stream.aclose()
        await endpoint.wait_for(dropped=1)


async def test_a_connection_is_used_again() -> None:
    async with Endpoint() as endpoint, _provider(endpoint) as provider:
        for _ in range(3):
            await parts_of(provider, _request())

    assert endpoint.tally.connections == 1


async def test_many_answers_stream_at_the_same_time() -> None:
    async with Endpoint(Script(tokens=20)) as endpoint, _provider(endpoint) as provider:
        answers = await asyncio.gather(*(answer_of(provider, _request()) for _ in range(20)))

    assert {len(answer.message.text.split()) for answer in answers} == {20}


async def test_half_an_emoji_reaches_the_answer_whole() -> None:
    halves = Script(raw=_stream('"\\ud83d"', '"\\ude00!"'))
    async with Endpoint(halves) as endpoint, _provider(endpoint) as provider:
        answer = await answer_of(provider, _request())

    assert answer.message == AssistantMessage("😀!")


def _stream(*texts: str) -> bytes:
    deltas = [
        f'data: {{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":{text}}}}}\n\n'
        for text in texts
    ]
    return b"".join(
        [
            named_event("message_start", {"message": {"usage": {}}}),
            named_event("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
            *(delta.encode() for delta in deltas),
            named_event("content_block_stop", {"index": 0}),
            named_event("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {}}),
            named_event("message_stop", {}),
        ]
    )


async def test_a_call_with_its_arguments_at_once_is_taken() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "a"}}
    script = sends(
        ("message_start", {"message": {"usage": {}}}),
        ("content_block_start", {"index": 0, "content_block": block}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": "tool_use"}, "usage": {}}),
        ("message_stop", {}),
    )
    async with Endpoint(script) as endpoint, _provider(endpoint) as provider:
        answer = await answer_of(provider, _request(tools=[_LOOK]))

    assert answer.message.calls == (ToolCall("t1", "look", '{"at":"a"}'),)
