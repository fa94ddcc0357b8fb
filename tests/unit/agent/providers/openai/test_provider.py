import asyncio
import contextlib
import logging
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.endpoint import Endpoint, Script
from tests.patience import PATIENCE
from wakeful.agent.providers.base import AnswerPart, AnswerReasoning, AnswerText, Finished, ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.openai import provider as openai_provider
from wakeful.agent.providers.openai.provider import OpenAICompatible
from wakeful.errors import ConfigError, ModelError
from wakeful.model.journal.message import AssistantMessage, ToolCall, ToolMessage, Usage, UserMessage
from wakeful.tools.base import ToolSpec

_KEY = "sk-very-secret"
_SPEC = ToolSpec("read_file", "Read a file.", {"type": "object"})


@contextlib.asynccontextmanager
async def _provider(
    base_url: str, *, api_key: str = _KEY, idle_timeout: float = 5.0
) -> AsyncIterator[OpenAICompatible]:
    provider = OpenAICompatible(EndpointSettings(base_url, api_key, idle_timeout=idle_timeout))
    try:
        yield provider
    finally:
        await provider.close()


def _request(text: str = "Hi", tools: Sequence[ToolSpec] = ()) -> ModelRequest:
    return ModelRequest("scripted", "", [UserMessage(text)], tools)


async def _ask(script: Script | Sequence[Script], *, idle_timeout: float = 5.0) -> list[AnswerPart]:
    async with Endpoint(script) as endpoint, _provider(endpoint.url, idle_timeout=idle_timeout) as provider:
        return [part async for part in provider.stream(_request())]


async def _answer(script: Script | Sequence[Script]) -> Finished:
    last = (await _ask(script))[-1]
    assert isinstance(last, Finished)
    return last


async def _error(script: Script | Sequence[Script], *, idle_timeout: float = 5.0) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await _ask(script, idle_timeout=idle_timeout)
    return caught.value


def _sse(*events: str) -> bytes:
    return "".join(f"data: {event}\n\n" for event in events).encode()


async def test_an_answer_is_streamed_part_by_part_with_its_usage() -> None:
    parts = await _ask(Script(tokens=2, reasoning_tokens=1))

    assert parts[:-1] == [AnswerReasoning("thought0 "), AnswerText("token0 "), AnswerText("token1 ")]
    message = AssistantMessage("token0 token1 ", "thought0 ")
    assert parts[-1] == Finished(message, Usage(7, 3, cached_tokens=2, reasoning_tokens=1))


async def test_a_part_is_seen_before_the_answer_is_complete() -> None:
    async with Endpoint(Script(tokens=5, hang_after=1)) as endpoint, _provider(endpoint.url) as provider:
        stream = provider.stream(_request())

        assert await anext(stream) == AnswerText("token0 ")

        await stream.aclose()


async def test_tool_calls_come_with_the_finished_answer() -> None:
    arguments = {"path": "a" * 50}
    finished = await _answer(Script(calls=[{"name": "read_file", "arguments": arguments, "id": "a"}]))

    assert finished.message.calls == (ToolCall("a", "read_file", f'{{"path":"{"a" * 50}"}}'),)


async def test_a_conversation_with_tools_is_sent_whole() -> None:
    calling = AssistantMessage("", calls=(ToolCall("a", "read_file", "{}"),))
    request = ModelRequest("m", "Be kind.", [UserMessage("Hi"), calling, ToolMessage("a", "text")], [_SPEC])
    async with Endpoint() as endpoint, _provider(endpoint.url) as provider:
        _ = [part async for part in provider.stream(request)]

        assert [message["role"] for message in endpoint.bodies[0]["messages"]] == [
            "system",
            "user",
            "assistant",
            "tool",
        ]
        assert endpoint.bodies[0]["tools"][0]["function"]["name"] == "read_file"


async def test_an_id_used_before_in_the_conversation_is_replaced() -> None:
    calling = AssistantMessage("", calls=(ToolCall("a", "read_file", "{}"),))
    request = ModelRequest("m", "", [UserMessage("Hi"), calling, ToolMessage("a", "x"), UserMessage("Again")], [])
    script = Script(calls=[{"name": "read_file", "arguments": {}, "id": "a"}])
    async with Endpoint(script) as endpoint, _provider(endpoint.url) as provider:
        parts = [part async for part in provider.stream(request)]

    assert isinstance(parts[-1], Finished)
    assert parts[-1].message.calls[0].id != "a"


async def test_the_key_is_sent_as_a_bearer_token() -> None:
    async with Endpoint() as endpoint, _provider(endpoint.url) as provider:
        _ = [part async for part in provider.stream(_request())]

        assert endpoint.tally.headers[0]["authorization"] == f"Bearer {_KEY}"


async def test_without_a_key_no_authorization_is_sent() -> None:
    async with Endpoint() as endpoint, _provider(endpoint.url, api_key="") as provider:
        _ = [part async for part in provider.stream(_request())]

        assert "authorization" not in endpoint.tally.headers[0]


async def test_a_password_in_the_base_url_is_sent_where_there_is_no_key() -> None:
    async with Endpoint() as endpoint, _provider(endpoint.url.replace("//", "//me:pw@"), api_key="") as provider:
        _ = [part async for part in provider.stream(_request())]

        assert endpoint.tally.headers[0]["authorization"].startswith("Basic ")


async def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with Endpoint() as endpoint:
        monkeypatch.setenv("HTTP_PROXY", endpoint.url.replace("//", "//me:pw@").removesuffix("/v1"))
        async with _provider("http://model.invalid/v1") as provider:
            _ = [part async for part in provider.stream(_request())]

        assert endpoint.tally.headers[0]["host"] == "model.invalid"
        assert endpoint.tally.headers[0]["proxy-authorization"].startswith("Basic ")
        assert endpoint.tally.headers[0]["authorization"] == f"Bearer {_KEY}"


async def test_a_proxy_that_is_not_there_is_an_endpoint_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://me:pw@127.0.0.1:1")
    async with _provider("http://model.invalid/v1") as provider:
        with pytest.raises(ModelError, match="cannot be reached \\(Connection refused\\)") as raised:
            _ = [part async for part in provider.stream(_request())]

    assert (raised.value.code, raised.value.passing) == ("model_unavailable", True)
    assert "pw@" not in str(raised.value)


async def test_a_netrc_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password pw")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    async with Endpoint() as endpoint, _provider(endpoint.url, api_key="") as provider:
        _ = [part async for part in provider.stream(_request())]

        assert "authorization" not in endpoint.tally.headers[0]


@pytest.mark.parametrize(
    "raw",
    [
        # No [DONE].
        _sse('{"choices":[{"delta":{"content":"Hi"}}]}', '{"choices":[{"delta":{},"finish_reason":"stop"}]}'),
        # No finish reason.
        _sse('{"choices":[{"delta":{"content":"Hi"}}]}', "[DONE]"),
        # No blank line at the end.
        b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]',
        # Carriage returns, comments, an empty event, data without a space and in two lines.
        b': hello\r\n\r\ndata:\r\n\r\ndata:{"choices":\r\ndata:[{"delta":{"content":"Hi"}}]}\r\n\r\ndata: [DONE]\r\n',
        # Nothing counts after [DONE].
        _sse('{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}', "[DONE]", "nonsense"),
    ],
)
async def test_streams_in_any_style_are_read(raw: bytes) -> None:
    assert (await _answer(Script(raw=raw))).message.text == "Hi"


async def test_an_answer_without_a_stream_is_read() -> None:
    raw = b'{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5}}'
    finished = await _answer(Script(raw=raw, content_type="application/json"))

    assert (finished.message.text, finished.usage.input_tokens) == ("Hi", 5)


async def test_halves_of_an_emoji_in_two_chunks_become_one() -> None:
    halves = ['{"choices":[{"delta":{"content":"\\ud83d"}}]}', '{"choices":[{"delta":{"content":"\\ude00"}}]}']

    assert (await _answer(Script(raw=_sse(*halves, "[DONE]")))).message.text == "😀"


async def test_a_stream_that_breaks_off_is_never_an_answer() -> None:
    error = await _error(Script(tokens=3, break_after=2))

    assert (error.code, error.passing) == ("model_stream_broken", True)


@pytest.mark.parametrize(
    "raw",
    [
        _sse('{"choices":[{"delta":{"content":"Hi"}}]}'),
        b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: {"choices":[{"delta":{},"finish_rea',
        _sse('{"choices":[{"delta":{"content":"Hi"}}]}', "{nonsense", "[DONE]"),
        _sse('{"choices":[{"delta":{"role":"assistant"}}]}', "[DONE]"),
    ],
)
async def test_a_stream_without_a_proper_end_is_never_an_answer(raw: bytes) -> None:
    error = await _error(Script(raw=raw))

    assert (error.code, error.passing) == ("model_stream_broken", True)


async def test_a_connection_lost_after_the_finish_reason_leaves_the_answer_whole() -> None:
    last = '{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}'
    finished = await _answer(Script(raw=_sse(last), headers={"content-length": "1000"}, break_after=0))

    assert finished.message.text == "Hi"


async def test_silence_after_the_finish_reason_leaves_the_answer_whole() -> None:
    last = '{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}'
    parts = await _ask(Script(raw=_sse(last), headers={"content-length": "1000"}), idle_timeout=0.2)

    assert isinstance(parts[-1], Finished)
    assert parts[-1].message.text == "Hi"


async def test_last_words_after_the_finish_reason_are_waited_for_only_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_provider, "_LAST_WORDS_SECONDS", 0.0)
    last = '{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}'
    async with asyncio.timeout(PATIENCE):
        parts = await _ask(Script(raw=_sse(last), headers={"content-length": "1000"}), idle_timeout=10 * PATIENCE)

    assert isinstance(parts[-1], Finished)


async def test_an_error_in_the_stream_is_raised_after_the_parts_before_it() -> None:
    script = Script(tokens=3, error_after=1, error={"message": "out of memory", "type": "server_error"})
    async with Endpoint(script) as endpoint, _provider(endpoint.url) as provider:
        stream = provider.stream(_request())

        assert await anext(stream) == AnswerText("token0 ")
        with pytest.raises(ModelError, match="out of memory") as caught:
            await anext(stream)

    assert caught.value.passing


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (401, {"message": "bad key"}, "model_auth"),
        (429, {"message": "pay", "code": "insufficient_quota"}, "model_credit"),
        (404, {"message": "no model"}, "model_not_found"),
        (400, {"message": "long", "code": "context_length_exceeded"}, "context_overflow"),
        (302, {"message": "moved"}, "model_request"),
    ],
)
async def test_a_refusal_is_final(status: int, error: dict[str, str], code: str) -> None:
    refusal = await _error(Script(status=status, error=error))

    assert (refusal.code, refusal.passing) == (code, False)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "7"}, 7.0), ({"retry-after-ms": "1500"}, 1.5), ({"retry-after": "soon"}, None), ({}, None)],
)
async def test_a_busy_endpoint_may_say_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    error = await _error(Script(status=429, headers=headers))

    assert (error.code, error.passing, error.retry_after) == ("model_rate_limited", True, seconds)


async def test_retry_after_may_be_a_date() -> None:
    past = await _error(Script(status=503, headers={"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}))

    assert past.retry_after == 0.0


async def test_the_second_try_succeeds_where_the_endpoint_recovers() -> None:
    async with Endpoint(Script(status=500, failures=1)) as endpoint, _provider(endpoint.url) as provider:
        with pytest.raises(ModelError):
            await anext(provider.stream(_request()))
        parts = [part async for part in provider.stream(_request())]

    assert isinstance(parts[-1], Finished)


async def test_a_refused_stream_option_is_left_out_from_then_on() -> None:
    refusing = Script(status=400, error={"message": "Unrecognized argument: stream_options"})
    async with Endpoint([refusing, Script()]) as endpoint, _provider(endpoint.url) as provider:
        first = [part async for part in provider.stream(_request())]
        _ = [part async for part in provider.stream(_request())]

        assert isinstance(first[-1], Finished)
        assert ["stream_options" in body for body in endpoint.bodies] == [True, False, False]


async def test_an_endpoint_that_goes_on_refusing_is_not_asked_for_ever() -> None:
    words = {"message": "stream_options and reasoning_content are unknown"}
    async with Endpoint(Script(status=400, error=words)) as endpoint, _provider(endpoint.url) as provider:
        with pytest.raises(ModelError) as caught:
            await anext(provider.stream(_request()))

        assert caught.value.code == "model_request"
        assert endpoint.tally.requests == 2


_TOOLLESS = Script(status=400, error={"message": "this model does not support tools"})


async def test_an_endpoint_that_refuses_tools_is_asked_again_once_without_them() -> None:
    options = {"parallel_tool_calls": False, "temperature": 0}
    request = replace(_request(tools=[ToolSpec("look", "sees", {"type": "object"})]), options=options)
    async with Endpoint([_TOOLLESS, Script()]) as endpoint, _provider(endpoint.url) as provider:
        parts = [part async for part in provider.stream(request)]

        assert isinstance(parts[-1], Finished)
        named = ("tools", "parallel_tool_calls", "temperature")
        assert [[name in body for name in named] for body in endpoint.bodies] == [[True] * 3, [False, False, True]]


@pytest.mark.parametrize(("options", "times"), [({}, 2), ({"tool_choice": "required"}, 1)])
async def test_an_endpoint_that_refuses_the_tools_it_must_use_or_more_than_them_is_an_error(
    options: dict[str, str], times: int
) -> None:
    request = replace(_request(tools=[ToolSpec("look", "sees", {"type": "object"})]), options=options)
    async with Endpoint(_TOOLLESS) as endpoint, _provider(endpoint.url) as provider:
        with pytest.raises(ModelError) as caught:
            await anext(provider.stream(request))

        assert (caught.value.code, endpoint.tally.requests) == ("model_request", times)


async def test_requests_under_way_together_each_learn_the_dialect() -> None:
    refusing = Script(status=400, error={"message": "Unrecognized argument: stream_options"})
    async with Endpoint([refusing, refusing, Script()]) as endpoint, _provider(endpoint.url) as provider:

        async def last_part() -> AnswerPart:
            return [part async for part in provider.stream(_request())][-1]

        answers = await asyncio.gather(last_part(), last_part())

    assert all(isinstance(answer, Finished) for answer in answers)


async def test_a_closed_port_is_a_passing_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        async with _provider(address) as provider:
            with pytest.raises(ModelError) as caught:
                await anext(provider.stream(_request()))

    assert (caught.value.code, caught.value.passing) == ("model_unavailable", True)
    assert str(caught.value).startswith(
        f"The model endpoint {address}/chat/completions cannot be reached (Connection refused);"
    )


async def test_an_endpoint_that_takes_no_connection_is_given_up() -> None:
    # It listens, but knows nothing of TLS and waits for a request.
    async with Endpoint() as endpoint:
        settings = EndpointSettings(endpoint.url.replace("http:", "https:"), connect_timeout=0.2)
        provider = OpenAICompatible(settings)
        with pytest.raises(ModelError) as caught:
            await anext(provider.stream(_request()))
        await provider.close()

    assert (caught.value.code, caught.value.passing) == ("model_timeout", True)
    assert "took no connection within 0.2 s" in str(caught.value)


@pytest.mark.parametrize("script", [Script(hang=True), Script(tokens=3, hang_after=1)])
async def test_a_silent_endpoint_is_given_up(script: Script) -> None:
    error = await _error(script, idle_timeout=0.2)

    assert (error.code, error.passing) == ("model_timeout", True)
    assert "said nothing for 0.2 s" in str(error)


async def test_a_slow_stream_is_not_a_silent_one() -> None:
    parts = await _ask(Script(tokens=8, rate=5), idle_timeout=1.0)

    assert isinstance(parts[-1], Finished)


async def test_a_page_instead_of_a_stream_is_a_clear_error() -> None:
    error = await _error(Script(raw=b"<html>Welcome</html>", content_type="text/html"))

    assert (error.code, error.passing) == ("model_request", False)
    assert "OPENAI_BASE_URL" in str(error)


async def test_closing_the_iterator_closes_the_connection() -> None:
    async with Endpoint(Script(tokens=1000, rate=100)) as endpoint, _provider(endpoint.url) as provider:
        stream = provider.stream(_request())
        await anext(stream)

        await stream.aclose()

        await endpoint.wait_for(dropped=1)
        assert endpoint.tally.answered == 0


@pytest.mark.parametrize("script", [Script(hang=True), Script(tokens=1000, rate=100)])
async def test_cancelling_the_reader_closes_the_connection(script: Script) -> None:
    async with Endpoint(script) as endpoint, _provider(endpoint.url) as provider:

        async def read() -> None:
            async with contextlib.aclosing(provider.stream(_request())) as stream:
                async for _ in stream:
                    pass

        reader = asyncio.create_task(read())
        await endpoint.wait_for(requests=1)
        reader.cancel()

        with pytest.raises(asyncio.CancelledError):
            await reader
        await endpoint.wait_for(dropped=1)


async def test_a_connection_is_used_again_after_a_whole_answer() -> None:
    async with Endpoint() as endpoint, _provider(endpoint.url) as provider:
        for _ in range(3):
            _ = [part async for part in provider.stream(_request())]

        assert (endpoint.tally.requests, endpoint.tally.connections) == (3, 1)


async def test_two_hundred_streams_run_side_by_side() -> None:
    async with Endpoint(Script(tokens=2, hang_after=1)) as endpoint, _provider(endpoint.url) as provider:
        streams = [provider.stream(_request()) for _ in range(200)]

        firsts = await asyncio.gather(*(anext(stream) for stream in streams))

        assert set(firsts) == {AnswerText("token0 ")}
        for stream in streams:
            await stream.aclose()


async def test_the_key_appears_in_no_error_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    errors = [
        await _error(Script(status=status, error={"message": f"Incorrect API key provided: {_KEY}"}))
        for status in (400, 401, 403, 500)
    ]
    errors.append(await _error(Script(error_after=1, error={"message": f"key {_KEY}"})))

    assert not any(_KEY in f"{error} {error!r}" for error in errors)
    assert _KEY not in caplog.text
    assert _KEY not in repr(EndpointSettings(api_key=_KEY))


def test_a_key_that_cannot_be_sent_is_a_config_error_without_the_key() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY") as caught:
        OpenAICompatible(EndpointSettings(api_key="sk-very\nsecret"))

    assert "secret" not in str(caught.value)


async def test_closing_twice_or_before_the_first_request_is_safe() -> None:
    provider = OpenAICompatible(EndpointSettings())

    await provider.close()
    await provider.close()


def test_only_a_proxy_makes_a_process_import_aiohttp() -> None:
    program = """
import asyncio, sys
from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.openai.provider import OpenAICompatible
from wakeful.errors import ModelError

async def ask() -> None:
    try:
        await anext(OpenAICompatible(EndpointSettings("http://127.0.0.1:1/v1")).stream(ModelRequest("m", "", [], [])))
    except ModelError as error:
        print(error.code, "aiohttp" in sys.modules)

asyncio.run(ask())
"""
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert said.stdout.split() == ["model_unavailable", "False"]


async def test_the_signature_of_a_thought_is_kept_with_its_call_and_sent_back_to_its_provider_alone() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    calls = [{"name": "look", "arguments": {}, "extra_content": extra}, {"name": "look", "arguments": {}}]
    async with Endpoint(Script(calls=calls)) as endpoint, _provider(endpoint.url) as provider:
        said = [part async for part in provider.stream(_request(tools=[_SPEC]))][-1]
        assert isinstance(said, Finished)
        results = [ToolMessage(call.id, "seen") for call in said.message.calls]
        again = replace(_request(), messages=[UserMessage("Hi"), said.message, *results])
        other = OpenAICompatible(EndpointSettings(endpoint.url, name="mistral"))
        for asked in (provider, other):
            assert [part async for part in asked.stream(again)]
        await other.close()

    sent = [body["messages"][1]["tool_calls"] for body in endpoint.bodies[1:]]
    assert [call.get("extra_content") for call in sent[0]] == [extra, None]
    assert [call.get("extra_content") for call in sent[1]] == [None, None]


async def test_the_operators_options_go_into_the_body_as_they_are() -> None:
    async with Endpoint() as endpoint:
        settings = EndpointSettings(endpoint.url, options={"scripted": {"top_k": 20, "temperature": 0.6, "model": "x"}})
        provider = OpenAICompatible(settings)
        assert [part async for part in provider.stream(replace(_request(), options={"temperature": 1.0}))]
        await provider.close()

    (body,) = endpoint.bodies
    assert (body["top_k"], body["temperature"], body["model"]) == (20, 0.6, "scripted")
