"""Refusals, as the official client's exceptions."""

from typing import Any

import httpx2
import openai
import pytest
from openai import OpenAI

from tests.api.server import ALICE, BOB, ApiServer, ModelEndpoint, script


def test_a_wrong_key_is_not_taken(server: ApiServer) -> None:
    with server.client("wrong") as stranger:
        for ask in (
            lambda: stranger.responses.create(input="Hello"),
            lambda: stranger.chat.completions.create(model="wakeful", messages=[{"role": "user", "content": "x"}]),
            lambda: stranger.models.list(),
            lambda: stranger.conversations.create(),
        ):
            with pytest.raises(openai.AuthenticationError) as refused:
                ask()
            assert (refused.value.code, refused.value.type) == ("invalid_api_key", "invalid_request_error")


def test_no_key_is_not_taken_either(server: ApiServer) -> None:
    reply = httpx2.get(f"{server.root}/v1/models", trust_env=False)

    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "invalid_api_key")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/responses/resp_nobody", 404),
        ("POST", "/v1/responses/resp_nobody/cancel", 404),
        ("DELETE", "/v1/responses/resp_nobody", 404),
        ("GET", "/v1/responses/resp_nobody/input_items", 404),
        ("GET", "/v1/responses/%00", 404),
        ("GET", "/v1/responses/resp_%00", 404),
        ("GET", "/v1/responses/resp_%F0%9F%90%88", 404),
        ("GET", "/v1/conversations/conv_nobody", 404),
        ("GET", "/v1/conversations/conv_%00", 404),
        ("GET", "/v1/models/nobody", 404),
        ("PUT", "/v1/responses", 405),
    ],
)
def test_what_does_not_exist_is_refused_in_the_same_form(
    server: ApiServer, method: str, path: str, status: int
) -> None:
    reply = server.send(method, path)

    assert reply.status_code == status
    assert set(reply.json()["error"]) == {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "input"),
        ({"input": ""}, "input"),
        ({"input": []}, "input"),
        ({"input": 7}, "input"),
        ({"input": [7]}, "input[0]"),
        ({"input": [{"role": "nobody", "content": "x"}]}, "input[0].role"),
        ({"input": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "input[0].content[0]"),
        ({"input": [{"type": "computer_call"}]}, "input[0]"),
        ({"input": [{"type": "function_call_output", "output": "x"}]}, "input[0].call_id"),
        ({"input": "x", "stream": "yes"}, "stream"),
        ({"input": "x", "store": 1}, "store"),
        ({"input": "x", "background": "true"}, "background"),
        ({"input": "x", "temperature": 2.5}, "temperature"),
        ({"input": "x", "temperature": True}, "temperature"),
        ({"input": "x", "top_p": -1}, "top_p"),
        ({"input": "x", "max_output_tokens": 0}, "max_output_tokens"),
        ({"input": "x", "max_output_tokens": 1.5}, "max_output_tokens"),
        ({"input": "x", "metadata": {"a": 1}}, "metadata"),
        ({"input": "x", "metadata": {str(n): "x" for n in range(17)}}, "metadata"),
        ({"input": "x", "metadata": []}, "metadata"),
        ({"input": "x", "instructions": 7}, "instructions"),
        ({"input": "x", "model": 7}, "model"),
        ({"input": "x", "tools": {}}, "tools"),
        ({"input": "x", "tools": [{"type": "web_search"}]}, "tools[0]"),
        ({"input": "x", "tool_choice": "sometimes"}, "tool_choice"),
        ({"input": "x", "previous_response_id": 7}, "previous_response_id"),
        ({"input": "x", "reasoning": "much"}, "reasoning"),
        ({"input": "x", "text": "plain"}, "text"),
        ({"input": "x", "user": {}}, "user"),
        ({"input": "x", "service_tier": 7}, "service_tier"),
        ({"input": "x", "max_tool_calls": -1}, "max_tool_calls"),
        ({"input": [{"type": "mcp_call", "id": "mcp_1", "name": "f", "arguments": "{}"}]}, "input[0].server_label"),
        ({"input": "x", "top_logprobs": 21}, "top_logprobs"),
        ({"input": "x", "truncation": "yes"}, "truncation"),
        ({"input": "x", "store": False, "background": True}, "background"),
        ({"input": "x", "conversation": "a", "previous_response_id": "resp_1"}, "previous_response_id"),
        ({"input": [{"role": ["user"], "content": "x"}]}, "input[0].role"),
        ({"input": [{"role": "user", "content": [{"type": {}}]}]}, "input[0].content[0]"),
        ({"input": [{"role": "user", "content": [{"type": "input_text", "text": 7}]}]}, "input[0].content[0].text"),
        ({"input": "x", "tools": [{"type": "function"}]}, "tools[0].name"),
        ({"input": "x", "tools": [{"type": "function", "name": "a b"}]}, "tools[0].name"),
        ({"input": "x", "tools": [{"type": "function", "name": "f", "strict": 1}]}, "tools[0].strict"),
        ({"input": "x", "tools": [{"type": "function", "name": "f", "parameters": []}]}, "tools[0].parameters"),
        ({"input": "x", "tools": [{"type": "function", "name": "f", "description": 7}]}, "tools[0].description"),
        ({"input": "x", "tools": [{"type": "function", "name": "f"}] * 2}, "tools[1].name"),
        ({"input": "x", "tool_choice": {"type": "allowed_tools"}}, "tool_choice"),
        ({"input": "x", "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": []}}, "tool_choice"),
        ({"input": "x", "tool_choice": {"type": "web_search"}}, "tool_choice"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "attachment:att_1"}]}]},
            "input[0].content[0].image_url",
        ),
        (
            {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "ftp:https://a.b/c"}]}]},
            "input[0].content[0].image_url",
        ),
        ({"input": "x", "tool_choice": {"type": "function", "name": "unknown"}}, "tool_choice"),
        ({"input": "x", "tool_choice": "required", "max_tool_calls": 0}, "tool_choice"),
        ({"input": "x", "reasoning": {"effort": 7}}, "reasoning.effort"),
        ({"input": "x", "reasoning": {"summary": "long"}}, "reasoning.summary"),
        ({"input": "x", "text": {"format": 7}}, "text.format"),
        ({"input": "x", "text": {"format": {"type": "xml"}}}, "text.format.type"),
        ({"input": "x", "text": {"format": {"type": "json_schema", "schema": {}}}}, "text.format.name"),
        ({"input": "x", "text": {"format": {"type": "json_schema", "name": "n"}}}, "text.format.schema"),
        ({"input": "x", "text": {"verbosity": "loud"}}, "text.verbosity"),
        ({"input": "x", "service_tier": "best"}, "service_tier"),
        ({"input": "x", "include": "all"}, "include"),
        ({"input": "x", "include": ["a", 7]}, "include[1]"),
        ({"input": "x", "prompt": {"id": "pmpt_1"}}, "prompt"),
        ({"input": "x", "top_logprobs": 3}, "top_logprobs"),
        ({"input": "x", "parallel_tool_calls": "no"}, "parallel_tool_calls"),
        ({"input": "x", "stream_options": {"include_obfuscation": 1}}, "stream_options.include_obfuscation"),
    ],
)
def test_a_request_that_cannot_be_understood_is_refused(server: ApiServer, body: Any, param: str) -> None:
    reply = server.send("POST", "/v1/responses", json=body)

    error = reply.json()["error"]
    assert (reply.status_code, error["type"], error["param"]) == (400, "invalid_request_error", param)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": {"a": 1}, "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "messages[0].content[0]"),
        ({"messages": [{"role": "assistant", "tool_calls": 0}]}, "messages[0].tool_calls"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id"),
        ({"n": 2}, "n"),
        ({"n": "1"}, "n"),
        ({"stop": 7}, "stop"),
        ({"stop": ["a", 7]}, "stop"),
        ({"seed": 1.5}, "seed"),
        ({"seed": 2**70}, "seed"),
        ({"logprobs": True}, "logprobs"),
        ({"logprobs": "no"}, "logprobs"),
        ({"top_logprobs": 5}, "top_logprobs"),
        ({"temperature": "hot"}, "temperature"),
        ({"top_p": 1.01}, "top_p"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_completion_tokens": True}, "max_completion_tokens"),
        ({"frequency_penalty": 3}, "frequency_penalty"),
        ({"presence_penalty": -2.5}, "presence_penalty"),
        ({"response_format": "json"}, "response_format"),
        ({"response_format": {}}, "response_format.type"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema"),
        ({"response_format": {"type": "json_schema", "json_schema": []}}, "response_format.json_schema"),
        ({"tools": [{"type": "function", "function": {"name": ""}}]}, "tools[0].function.name"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}] * 2}, "tools[1].function.name"),
        ({"tools": [{"type": "custom", "custom": {"name": "f"}}]}, "tools[0]"),
        ({"tool_choice": {"type": "function", "name": "f"}}, "tool_choice"),
        ({"tool_choice": {"type": "function", "function": {"name": "unknown"}}}, "tool_choice"),
        ({"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto"}}}, "tool_choice"),
        ({"logit_bias": {"50256": 101}}, "logit_bias.50256"),
        ({"reasoning_effort": 7}, "reasoning_effort"),
        ({"user": 7}, "user"),
        ({"metadata": {"a": None}}, "metadata"),
        ({"store": "yes"}, "store"),
        ({"service_tier": 7}, "service_tier"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"functions": [{"name": "f"}]}, "functions"),
        ({"stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
    ],
)
def test_a_chat_that_cannot_be_understood_is_refused(server: ApiServer, fields: Any, param: str) -> None:
    body = {"messages": [{"role": "user", "content": "x"}], **fields}

    reply = server.send("POST", "/v1/chat/completions", json=body)

    error = reply.json()["error"]
    assert (reply.status_code, error["type"], error["param"]) == (400, "invalid_request_error", param)


@pytest.mark.parametrize(
    ("path", "body", "param"),
    [
        ("/v1/conversations", {"items": 0}, "items"),
        ("/v1/conversations", {"items": [{"role": "user"}]}, "items[0].content"),
        ("/v1/conversations/conv_nobody", {}, "metadata"),
        ("/v1/conversations/conv_nobody/items", {"items": []}, "items"),
        ("/v1/runs", {"input": "x", "instructions": []}, "instructions"),
        ("/v1/runs/run_nobody/approval", {"call_id": "c", "choice": ["once"]}, "choice"),
    ],
)
def test_other_bodies_that_cannot_be_understood_are_refused(
    server: ApiServer, path: str, body: Any, param: str
) -> None:
    reply = server.send("POST", path, json=body)

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, param)


def test_options_that_can_be_honoured_reach_the_endpoint(server: ApiServer, endpoint: ModelEndpoint) -> None:
    given = {"stop": ["a", "b"], "seed": 7, "logit_bias": {"1": -5}, "max_tokens": 9.0, "temperature": 0.5}
    schema = {"name": "n", "schema": {"type": "object"}, "strict": True}
    more = {"response_format": {"type": "json_schema", "json_schema": schema}, "tool_choice": "required"}
    words = "which options reach the endpoint"

    server.send(
        "POST", "/v1/chat/completions", json={"messages": [{"role": "user", "content": words}], **given, **more}
    )

    seen = [body for body in endpoint.requests() if words in str(body["messages"][-1])][-1]
    assert {name: seen.get(name) for name in given | more} == given | more


@pytest.mark.parametrize("path", ["/v1/responses/", "/v1/chat/completions/", "/v1/conversations/", "/api/sessions/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_slash_at_the_end_is_another_path_and_no_redirect(server: ApiServer, path: str, method: str) -> None:
    reply = server.send(method, path, json={"input": "x"})

    assert (reply.status_code, "location" in reply.headers) == (404, False)
    assert "slash" in reply.json()["error"]["message"]


def test_a_wrong_method_is_answered_with_all_the_right_ones(server: ApiServer) -> None:
    assert server.send("PUT", "/v1/responses/resp_nobody").headers["allow"] == "DELETE, GET, HEAD"
    assert server.send("PUT", "/v1/conversations/conv_nobody").headers["allow"] == "DELETE, GET, HEAD, POST"


@pytest.mark.parametrize("depth", [300, 1_000, 5_000])
@pytest.mark.parametrize(
    ("path", "start"),
    [
        ("/v1/responses", b'{"input": "x", "other": '),
        ("/v1/responses", b'{"input": "x", "tools": [{"type": "function", "name": "f", "parameters": {"a": '),
        ("/v1/chat/completions", b'{"messages": [{"role": "user", "content": "x"}], "stop": '),
        ("/v1/conversations", b'{"other": '),
    ],
)
def test_a_body_that_is_nested_too_deeply_is_refused(server: ApiServer, path: str, start: bytes, depth: int) -> None:
    ends = b"}]}" if b"tools" in start else b""
    content = start + b"[" * depth + b"]" * depth + ends + b"}"

    assert server.send("POST", path, content=content).status_code == 400


def test_a_body_that_is_nested_as_deeply_as_it_may_be_is_taken(server: ApiServer) -> None:
    body = {"input": "x", "tools": [{"type": "function", "name": "f", "parameters": _nested(200)}]}

    assert server.send("POST", "/v1/responses", json=body).json()["status"] == "completed"


def _nested(depth: int) -> dict[str, Any]:
    return {"properties": _nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b'{"input": "\\ud800"}', b'{"input": "x", "metadata": {"a": "\\udfff"}}'],
)
def test_a_body_that_is_no_json_object_is_refused(server: ApiServer, content: bytes) -> None:
    reply = server.send("POST", "/v1/responses", content=content)

    assert (reply.status_code, reply.json()["error"]["type"]) == (400, "invalid_request_error")


def test_a_body_that_is_too_large_is_refused(server: ApiServer) -> None:
    body = b'{"input": "%s"}' % (b"x" * (16 * 1024 * 1024 + 1))

    reply = server.send("POST", "/v1/responses", content=body)

    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "request_too_large")


def test_nul_and_every_plane_of_unicode_are_taken(client: OpenAI) -> None:
    text = "a\0b 🐈 \u202e"
    made = client.responses.create(input=text, instructions=text, metadata={"k": text}, user=text)

    items: list[Any] = [item.to_dict() for item in client.responses.input_items.list(made.id)]
    assert (items[0]["content"][0]["text"], made.metadata, made.instructions) == (text, {"k": text}, text)


def test_unknown_fields_are_ignored(server: ApiServer) -> None:
    reply = server.send("POST", "/v1/responses", json={"input": "x", "nobody_knows": {"a": [1]}})

    assert reply.json()["status"] == "completed"


def test_an_unknown_model_is_refused(client: OpenAI) -> None:
    with pytest.raises((openai.BadRequestError, openai.NotFoundError)) as refused:
        client.responses.create(model="nobody:nothing", input="Hello")
    assert (refused.value.code, refused.value.param) == ("model_not_found", "model")

    with pytest.raises((openai.BadRequestError, openai.NotFoundError)):
        client.chat.completions.create(model="nobody:nothing", messages=[{"role": "user", "content": "x"}])


def test_the_default_model_is_listed_first(client: OpenAI) -> None:
    models = list(client.models.list())

    assert models[0].id == "wakeful"
    assert client.models.retrieve("wakeful") == models[0]


@pytest.mark.parametrize("model", ["wakeful", "openai:scripted", "scripted", None])
def test_a_model_has_several_names(client: OpenAI, model: str | None) -> None:
    how: Any = {} if model is None else {"model": model}

    assert client.responses.create(input="Hello", **how).status == "completed"


def test_every_answer_has_a_request_id(client: OpenAI) -> None:
    made = client.responses.create(input="Hello")
    assert made._request_id

    with pytest.raises(openai.NotFoundError) as refused:
        client.responses.retrieve("resp_nobody")
    assert refused.value.request_id


def test_a_conflict_is_not_tried_again(server: ApiServer) -> None:
    with server.client(max_retries=2) as client:
        running = client.responses.create(input=script(hang_after=1), background=True, conversation="once")
        with pytest.raises(openai.ConflictError) as refused:
            client.responses.create(input="And?", conversation="once")
        client.responses.cancel(running.id)

    assert refused.value.response.headers["x-should-retry"] == "false"
    assert refused.value.response.request.headers["x-stainless-retry-count"] == "0"


def test_objects_of_another_key_are_not_found(server: ApiServer) -> None:
    with server.client(ALICE) as alice, server.client(BOB) as bob:
        made = alice.responses.create(input="Hello")
        conversation = alice.conversations.create()

        for ask in (
            lambda: bob.responses.retrieve(made.id),
            lambda: list(bob.responses.retrieve(made.id, stream=True)),
            lambda: bob.responses.cancel(made.id),
            lambda: bob.responses.delete(made.id),
            lambda: bob.responses.input_items.list(made.id),
            lambda: bob.conversations.retrieve(conversation.id),
            lambda: bob.conversations.update(conversation.id, metadata={}),
            lambda: bob.conversations.delete(conversation.id),
            lambda: bob.responses.create(input="Hello", conversation=conversation.id),
        ):
            with pytest.raises(openai.NotFoundError):
                ask()
        with pytest.raises(openai.BadRequestError) as refused:
            bob.responses.create(input="And?", previous_response_id=made.id)
        assert refused.value.code == "previous_response_not_found"
        assert alice.responses.retrieve(made.id) == made


@pytest.mark.parametrize("name", ["listed", "local:3b"])
def test_the_first_request_for_a_listed_model_works_on_a_fresh_server(own_server: ApiServer, name: str) -> None:
    with own_server.client() as client:
        assert client.responses.create(model=name, input="Hello").status == "completed"


def test_names_of_conversations_are_private_to_their_key(server: ApiServer) -> None:
    with server.client(ALICE) as alice, server.client(BOB) as bob:
        hers = alice.responses.create(input="Hello", conversation="shared name")
        his = bob.responses.create(input="Hello", conversation="shared name")

    assert hers.conversation != his.conversation


def test_the_operator_sees_what_others_made(server: ApiServer) -> None:
    with server.client() as alice, server.client((server.home / "key").read_text().strip()) as operator:
        made = alice.responses.create(input="Hello")

        assert operator.responses.retrieve(made.id) == made
