"""Chat completions, as the official client asks for them."""

import asyncio
from typing import Any

import openai
import orjson
import pytest
from openai import AsyncOpenAI, OpenAI

from tests.api.raw_http import hang_up, request_bytes
from tests.api.server import ApiServer, ModelEndpoint, script, until

THREE = "token0 token1 token2 "
WEATHER: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


# How an endpoint refuses a conversation that is too long.
TOO_LONG = script(status=400, error={"message": "too long", "code": "context_length_exceeded"})


def words(text: str) -> Any:
    return [{"role": "user", "content": text}]


def test_a_chat_is_answered(client: OpenAI) -> None:
    answer = client.chat.completions.create(model="wakeful", messages=words("Hello"))

    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == (THREE, "stop")
    assert answer.choices[0].message.tool_calls is None
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (7, 3)


async def test_the_async_client_is_answered_too(async_client: AsyncOpenAI) -> None:
    stream = await async_client.chat.completions.create(model="wakeful", messages=words("Hello"), stream=True)
    text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert text == THREE


def test_a_chat_is_streamed(client: OpenAI) -> None:
    chunks = list(client.chat.completions.create(model="wakeful", messages=words("Hello"), stream=True))

    assert chunks[0].choices[0].delta.role == "assistant"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == THREE
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["stop"]
    assert all(chunk.usage is None for chunk in chunks)
    assert len({chunk.id for chunk in chunks}) == 1


def test_the_usage_comes_last_when_it_was_asked_for(client: OpenAI) -> None:
    chunks = list(
        client.chat.completions.create(
            model="wakeful", messages=words("Hello"), stream=True, stream_options={"include_usage": True}
        )
    )

    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 10


def test_a_stream_ends_with_the_word_that_clients_wait_for(server: ApiServer) -> None:
    reply = server.send("POST", "/v1/chat/completions", json={"messages": words("Hello"), "stream": True})

    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.text.endswith("data: [DONE]\n\n")


def test_the_whole_conversation_reaches_the_model(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation: Any = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "one"}]},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three"},
    ]
    client.chat.completions.create(model="wakeful", messages=conversation, temperature=0.25, stop=["x"])

    asked = endpoint.requests()[-1]
    assert [message["content"] for message in asked["messages"][1:]] == ["Be brief.", "one", "two", "three"]
    assert (asked["temperature"], asked["stop"]) == (0.25, ["x"])


def test_leaving_a_stream_stops_the_model(client: OpenAI, endpoint: ModelEndpoint) -> None:
    stream = client.chat.completions.create(
        model="wakeful", messages=words(script(tokens=9, hang_after=2)), stream=True
    )
    next(stream)

    with endpoint.seeing(dropped=1):
        stream.close()


def test_leaving_before_the_answer_stops_the_model(server: ApiServer, endpoint: ModelEndpoint) -> None:
    hanging = words(script(hang_after=1))

    with (
        endpoint.seeing(requests=1, dropped=1),
        server.client(timeout=0.5) as impatient,
        pytest.raises(openai.APITimeoutError),
    ):
        impatient.chat.completions.create(model="wakeful", messages=hanging)


@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_chat_whose_client_left_before_its_answer_began_is_cancelled(
    server: ApiServer, client: OpenAI, is_streamed: bool
) -> None:
    body = orjson.dumps({"messages": words(script(hang=True)), "stream": is_streamed})
    sent = request_bytes("POST", b"/v1/chat/completions", [(b"content-type", b"application/json")], body)
    for _ in range(10):
        hang_up(server.root, sent)

    client.chat.completions.create(model="wakeful", messages=words("Hello"))

    until(lambda: "wakeful_turns_active 0" in server.send("GET", "/metrics").text)


def test_background_work_of_a_chat_that_was_left_is_listed_and_can_be_ended(server: ApiServer, client: OpenAI) -> None:
    background = {"name": "terminal", "arguments": {"command": "sleep 4711", "background": True}}
    calls = [background, {"name": "terminal", "arguments": {"command": "sleep 4712"}}]
    stream = client.chat.completions.create(model="wakeful", messages=words(script(calls=calls)), stream=True)
    next(iter(stream))
    until(lambda: "sleep 4711" in running(server))

    stream.close()

    task_id = running(server)["sleep 4711"]
    assert server.send("POST", f"/api/tasks/{task_id}/kill").status_code == 200
    until(lambda: "sleep 4711" not in running(server))


def running(server: ApiServer) -> dict[str, str]:
    """Return the ids of background processes by command."""
    tasks = server.send("GET", "/api/tasks").json()["tasks"]
    return {task["command"]: task["id"] for task in tasks if task["status"] == "running"}


def test_tools_of_the_server_run_on_the_server(server: ApiServer, client: OpenAI) -> None:
    (server.home / "workspace" / "note.txt").write_text("hello")
    calling = script(calls=[{"name": "read_file", "arguments": {"path": "note.txt"}}])

    answer = client.chat.completions.create(model="wakeful", messages=words(calling))

    assert (answer.choices[0].finish_reason, answer.choices[0].message.tool_calls) == ("stop", None)
    assert answer.choices[0].message.content == THREE


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_tool_of_the_client_is_called_and_answered(
    client: OpenAI, endpoint: ModelEndpoint, is_streamed: bool
) -> None:
    asked = words(script(calls=[{"name": "weather", "arguments": {"city": "Oslo"}, "id": "call_7"}]))
    calls = _calls(client, asked, is_streamed=is_streamed)
    assert calls == [("call_7", "weather", '{"city":"Oslo"}')]

    call = {"id": "call_7", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}
    more: Any = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_7", "content": "rain"},
    ]
    answer = client.chat.completions.create(model="wakeful", messages=[*asked, *more], tools=[WEATHER])

    assert answer.choices[0].message.content == THREE
    last = endpoint.requests()[-1]["messages"][-2:]
    assert last[0]["tool_calls"][0]["function"]["name"] == "weather"
    assert (last[1]["role"], last[1]["tool_call_id"], last[1]["content"]) == ("tool", "call_7", "rain")


def _calls(client: OpenAI, asked: Any, *, is_streamed: bool) -> list[tuple[str, str, str]]:
    how: Any = {"model": "wakeful", "messages": asked, "tools": [WEATHER]}
    if is_streamed:
        with client.chat.completions.stream(**how) as stream:
            choice = stream.get_final_completion().choices[0]
    else:
        choice = client.chat.completions.create(**how).choices[0]
    assert choice.finish_reason == "tool_calls"
    made: Any = choice.message.tool_calls
    return [(call.id, call.function.name, call.function.arguments) for call in made]


def test_a_model_that_fails_is_a_bad_gateway(client: OpenAI) -> None:
    with pytest.raises(openai.InternalServerError) as failed:
        client.chat.completions.create(model="wakeful", messages=words(script(status=401)))

    assert failed.value.status_code == 502


def test_a_model_that_fails_breaks_a_stream(client: OpenAI) -> None:
    stream = client.chat.completions.create(model="wakeful", messages=words(script(status=401)), stream=True)

    with pytest.raises(openai.APIError):
        list(stream)


async def test_a_server_that_stops_does_not_pass_half_an_answer_for_the_whole(
    own_server: ApiServer, endpoint: ModelEndpoint
) -> None:
    asked: Any = {"model": "wakeful", "messages": words(script(tokens=9, hang_after=2))}
    seen = endpoint.stats()["requests"]
    async with own_server.async_client() as client:
        stream = await client.chat.completions.create(**asked, stream=True)
        first = await anext(stream)
        waiting = asyncio.create_task(client.chat.completions.create(**asked))
        await asyncio.to_thread(until, lambda: endpoint.stats()["requests"] >= seen + 2)
        assert own_server.process is not None
        own_server.process.terminate()

        with pytest.raises(openai.InternalServerError) as refused:
            await waiting
        with pytest.raises(openai.APIError):
            _ = [chunk async for chunk in stream]

    assert first.choices[0].delta.role == "assistant"
    assert (refused.value.status_code, "retry-after" in refused.value.response.headers) == (503, True)


def test_an_answer_that_reaches_the_output_limit_says_so(client: OpenAI) -> None:
    answer = client.chat.completions.create(model="wakeful", messages=words(script(finish_reason="length")))

    assert answer.choices[0].finish_reason == "length"


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "nobody", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": words("x"), "n": 2}, "n"),
        ({"messages": words("x"), "stream": "yes"}, "stream"),
        ({"messages": words("x"), "temperature": 3}, "temperature"),
        ({"messages": words("x"), "tools": [{"type": "function"}]}, "tools[0].function"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id"),
    ],
)
def test_a_request_that_cannot_be_understood_is_refused(server: ApiServer, body: Any, param: str) -> None:
    reply = server.send("POST", "/v1/chat/completions", json=body)

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, param)


def test_a_conversation_that_is_too_long_is_the_clients_to_shorten(client: OpenAI, endpoint: ModelEndpoint) -> None:
    before = endpoint.stats()["requests"]

    with pytest.raises(openai.BadRequestError) as refused:
        client.with_options(max_retries=2).chat.completions.create(model="wakeful", messages=words(TOO_LONG))

    assert (refused.value.code, refused.value.type) == ("context_length_exceeded", "invalid_request_error")
    assert endpoint.stats()["requests"] == before + 1


def test_a_stream_of_a_conversation_that_is_too_long_ends_with_the_same_error(client: OpenAI) -> None:
    stream = client.chat.completions.create(model="wakeful", messages=words(TOO_LONG), stream=True)

    with pytest.raises(openai.APIError) as failed:
        list(stream)

    assert (failed.value.code, failed.value.type) == ("context_length_exceeded", "invalid_request_error")


def test_an_answer_that_stays_empty_is_a_failure(client: OpenAI, endpoint: ModelEndpoint) -> None:
    before = endpoint.stats()["requests"]

    with pytest.raises(openai.APIStatusError) as failed:
        client.chat.completions.create(model="wakeful", messages=words(script(tokens=0)))

    assert (failed.value.status_code, failed.value.code) == (502, "empty_answer")
    assert endpoint.stats()["requests"] == before + 2
