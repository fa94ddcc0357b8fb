"""The scripted endpoint is true: the providers' own clients read its streams and its errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import openai
import pytest
from anthropic import AsyncAnthropic
from anthropic.types import TextBlock, ThinkingBlock
from openai import AsyncOpenAI
from openai.types.responses import ResponseStreamEvent

from tests.endpoint import Endpoint, Script
from tests.wires.messages import signature
from tests.wires.responses import sealed

_CALLS = [{"name": "look", "arguments": {"at": "a"}}, {"name": "look", "arguments": {"at": "b"}}]
_ASKED: Any = [{"role": "user", "content": "Hi"}]
_LOOK: Any = {"name": "look", "description": "Look.", "input_schema": {"type": "object"}}


@asynccontextmanager
async def _anthropic(script: Script) -> AsyncIterator[AsyncAnthropic]:
    async with (
        Endpoint(script) as endpoint,
        AsyncAnthropic(api_key="k", base_url=endpoint.root, max_retries=0) as client,
    ):
        yield client


@asynccontextmanager
async def _openai(script: Script) -> AsyncIterator[AsyncOpenAI]:
    async with Endpoint(script) as endpoint, AsyncOpenAI(api_key="k", base_url=endpoint.url, max_retries=0) as client:
        yield client


async def _message(script: Script, **more: Any) -> anthropic.types.Message:
    asked = {"model": "claude", "max_tokens": 99, "messages": _ASKED, **more}
    async with _anthropic(script) as client, client.messages.stream(**asked) as stream:
        return await stream.get_final_message()


async def _events(script: Script) -> list[ResponseStreamEvent]:
    async with _openai(script) as client:
        stream = await client.responses.create(model="gpt", input="Hi", store=False, stream=True)
        return [event async for event in stream]


async def test_anthropics_client_reads_thinking_text_and_usage() -> None:
    message = await _message(Script(text="Hello.", tokens=1, reasoning_tokens=2, hidden_reasoning=True))

    thinking, hidden, text = message.content
    assert hidden.type == "redacted_thinking"
    assert isinstance(thinking, ThinkingBlock)
    assert thinking.signature == signature(thinking.thinking)
    assert isinstance(text, TextBlock)
    assert text.text == "Hello."
    assert message.stop_reason == "end_turn"
    assert (message.usage.output_tokens, message.usage.cache_read_input_tokens) == (3, 2)


async def test_anthropics_client_reads_parallel_calls() -> None:
    message = await _message(Script(calls=_CALLS), tools=[_LOOK])

    assert [block.input for block in message.content if block.type == "tool_use"] == [{"at": "a"}, {"at": "b"}]
    assert message.stop_reason == "tool_use"


@pytest.mark.parametrize(("finish", "reason"), [("length", "max_tokens"), ("content_filter", "refusal")])
async def test_anthropics_client_reads_why_an_answer_ended(finish: str, reason: str) -> None:
    assert (await _message(Script(finish_reason=finish))).stop_reason == reason


async def test_anthropics_client_reads_errors_before_and_inside_a_stream() -> None:
    overloaded = {"type": "overloaded_error", "message": "Overloaded"}

    with pytest.raises(anthropic.APIStatusError, match="overloaded_error"):
        await _message(Script(status=529, error=overloaded))
    with pytest.raises(anthropic.APIStatusError, match="overloaded_error"):
        await _message(Script(error_after=1, error=overloaded))
    with pytest.raises(anthropic.BadRequestError, match="Extra inputs"):
        await _message(Script(), extra_body={"temperature": 1.0})


async def test_openais_client_reads_every_item_of_a_response_and_its_usage() -> None:
    events = await _events(Script(calls=_CALLS, tokens=1, reasoning_tokens=2))

    reasoning, first, second = [event.item for event in events if event.type == "response.output_item.done"]
    assert reasoning.type == "reasoning"
    assert reasoning.encrypted_content == sealed(reasoning.id)
    assert first.type == second.type == "function_call"
    assert (first.arguments, second.arguments) == ('{"at":"a"}', '{"at":"b"}')
    last = events[-1]
    assert last.type == "response.completed"
    assert last.response.usage is not None
    assert (last.response.usage.output_tokens, last.response.usage.input_tokens_details.cache_write_tokens) == (3, 5)


async def test_openais_client_gathers_the_text_of_a_response() -> None:
    async with (
        _openai(Script(tokens=3)) as client,
        client.responses.stream(model="gpt", input="Hi", store=False) as said,
    ):
        texts = [event.delta async for event in said if event.type == "response.output_text.delta"]

    assert texts == ["token0 ", "token1 ", "token2 "]


@pytest.mark.parametrize(("finish", "reason"), [("length", "max_output_tokens"), ("content_filter", "content_filter")])
async def test_openais_client_reads_why_a_response_is_incomplete(finish: str, reason: str) -> None:
    last = (await _events(Script(finish_reason=finish)))[-1]

    assert last.type == "response.incomplete"
    assert last.response.incomplete_details is not None
    assert last.response.incomplete_details.reason == reason


async def test_openais_client_reads_errors_before_and_inside_a_stream() -> None:
    with pytest.raises(openai.RateLimitError) as refused:
        await _events(Script(status=429, error={"code": "insufficient_quota", "message": "Pay."}))
    last = (await _events(Script(error_after=1, error={"message": "Too busy"})))[-1]

    assert refused.value.code == "insufficient_quota"
    assert last.type == "error"
    assert last.message == "Too busy"


async def test_openais_client_reads_a_call_with_the_signature_of_its_thought() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    async with _openai(Script(calls=[_CALLS[0] | {"extra_content": extra}])) as client:
        stream = await client.chat.completions.create(model="gemini", messages=_ASKED, stream=True)
        calls = [call async for chunk in stream for call in chunk.choices[0].delta.tool_calls or ()]

    assert calls[0].model_extra == {"extra_content": extra}
