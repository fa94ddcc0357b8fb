"""Tools in responses: the server runs its own, and hands calls of the client's tools to the client."""

from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.api.server import ApiServer, ModelEndpoint, script, until

THREE = "token0 token1 token2 "
WEATHER: Any = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "id": call_id, "arguments": arguments}


def read_note(server: ApiServer) -> dict[str, Any]:
    (server.home / "workspace" / "note.txt").write_text("a note")
    return call("read_file", "call_ours", path="note.txt")


def kinds(items: Any) -> list[str]:
    return [item.type for item in items]


def test_a_call_of_the_servers_tool_is_an_item_with_its_result(client: OpenAI, server: ApiServer) -> None:
    made = client.responses.create(input=script(calls=[read_note(server)]))

    assert kinds(made.output) == ["mcp_call", "message"]
    call: Any = made.output[0]
    assert (call.name, call.server_label, call.status) == ("read_file", "wakeful", "completed")
    assert (call.arguments, call.error) == ('{"path":"note.txt"}', None)
    assert "a note" in call.output
    assert (made.output_text, made.status, made.tools) == (THREE, "completed", [])


def test_the_stream_helper_accepts_the_items_of_the_servers_tools(client: OpenAI, server: ApiServer) -> None:
    with client.responses.stream(model="wakeful", input=script(calls=[read_note(server)])) as stream:
        types = [event.type for event in stream]
        final = stream.get_final_response()

    assert [kind for kind in types if "mcp_call" in kind] == [
        "response.mcp_call.in_progress",
        "response.mcp_call_arguments.delta",
        "response.mcp_call_arguments.done",
        "response.mcp_call.completed",
    ]
    assert kinds(final.output) == ["mcp_call", "message"]


def test_a_call_that_failed_has_the_sentence_and_is_no_failure_of_the_response(client: OpenAI) -> None:
    made = client.responses.create(input=script(calls=[call("no_such_tool", "call_1")]))

    failed: Any = made.output[0]
    assert (failed.status, failed.output, made.status) == ("failed", None, "completed")
    assert "There is no tool 'no_such_tool'" in failed.error.content[0]["text"]


@pytest.mark.parametrize("is_stored", [True, False])
def test_a_client_may_give_a_call_of_the_servers_back(
    client: OpenAI, server: ApiServer, endpoint: ModelEndpoint, is_stored: bool
) -> None:
    calls = [read_note(server), call("no_such_tool", "call_2")]
    words: Any = {"role": "user", "content": script(calls=calls, text="I have read it.")}
    made = client.responses.create(input=[words])
    more: Any = {"role": "user", "content": "And?"}

    client.responses.create(input=[words, *(item.to_dict() for item in made.output), more], store=is_stored)  # type: ignore[list-item]

    sent = endpoint.requests()[-1]["messages"][1:]
    assert [message["role"] for message in sent] == ["user", *["assistant", "tool"] * 2, "assistant", "user"]
    named = [message["tool_calls"][0]["function"]["name"] for message in sent if "tool_calls" in message]
    results = [message["content"] for message in sent if message["role"] == "tool"]
    assert named == ["read_file", "no_such_tool"]
    assert ("a note" in results[0], '"code":"unknown_tool"' in results[1]) == (True, True)


def test_a_client_that_leaves_the_result_out_relies_on_what_the_server_knows(
    client: OpenAI, server: ApiServer, endpoint: ModelEndpoint
) -> None:
    made = client.responses.create(input=script(calls=[read_note(server)]))
    bare: Any = made.output[0].to_dict() | {"output": None, "status": None}

    again = client.responses.create(input=[bare, {"role": "user", "content": "And?"}])

    assert "a note" in endpoint.requests()[-1]["messages"][2]["content"]
    listed: Any = client.responses.input_items.list(again.id, order="asc").data[0]
    assert (listed.type, listed.status, "a note" in listed.output) == ("mcp_call", "completed", True)


def test_a_call_without_a_known_result_is_interrupted(client: OpenAI, endpoint: ModelEndpoint) -> None:
    unknown: Any = {"type": "mcp_call", "id": "mcp_x", "name": "f", "server_label": "elsewhere", "arguments": "{}"}

    made = client.responses.create(input=[unknown, {"role": "user", "content": "And?"}])

    assert "interrupted" in endpoint.requests()[-1]["messages"][2]["content"]
    listed: Any = client.responses.input_items.list(made.id, order="asc").data[0]
    assert (listed.server_label, listed.status, listed.output) == ("elsewhere", "incomplete", None)


def test_a_tool_of_the_client_is_handed_to_it_and_answered(client: OpenAI, endpoint: ModelEndpoint) -> None:
    asked = client.responses.create(input=script(calls=[call("weather", "call_7", city="Oslo")]), tools=[WEATHER])
    assert (asked.status, kinds(asked.output), asked.tools[0].to_dict()["name"]) == (
        "completed",
        ["function_call"],
        "weather",
    )
    made: Any = asked.output[0]
    assert (made.call_id, made.name, made.arguments) == ("call_7", "weather", '{"city":"Oslo"}')

    output: Any = {"type": "function_call_output", "call_id": made.call_id, "output": "rain"}
    answered = client.responses.create(input=[output], previous_response_id=asked.id, tools=[WEATHER])

    assert answered.output_text == THREE
    last = endpoint.requests()[-1]["messages"][-2:]
    assert last[0]["tool_calls"][0]["id"] == last[1]["tool_call_id"] == "call_7"
    assert last[1]["content"] == "rain"


def test_a_client_may_bring_the_whole_exchange_itself(client: OpenAI, endpoint: ModelEndpoint) -> None:
    words: Any = {"role": "user", "content": script(calls=[call("weather", "a"), call("weather", "b")])}
    asked = client.responses.create(input=[words], tools=[WEATHER])
    outputs = [{"type": "function_call_output", "call_id": id_, "output": f"rain in {id_}"} for id_ in "ab"]

    history: Any = [words, *(item.to_dict() for item in asked.output), *outputs]
    answered = client.responses.create(input=history, tools=[WEATHER])

    assert answered.output_text == THREE
    sent = endpoint.requests()[-1]["messages"]
    calls = [made["id"] for message in sent for made in message.get("tool_calls") or ()]
    results = {message["tool_call_id"]: message["content"] for message in sent if message["role"] == "tool"}
    assert calls == ["a", "b"]
    assert results == {"a": "rain in a", "b": "rain in b"}
    assert len([message for message in sent if message["role"] == "tool"]) == 2


def test_a_picture_in_a_result_of_the_client_reaches_the_model(client: OpenAI, endpoint: ModelEndpoint) -> None:
    url = "https://example.org/weather.png"
    exchange: Any = [
        {"role": "user", "content": "how does it look?"},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_image", "image_url": url}]},
    ]
    client.responses.create(input=exchange)

    last = next(one for one in endpoint.requests() if "how does it look?" in str(one))["messages"][-1]
    assert (last["role"], last["content"][-1]) == ("user", {"type": "image_url", "image_url": {"url": url}})


def test_what_the_client_brought_is_listed_as_its_input(client: OpenAI) -> None:
    history: Any = [
        {"role": "user", "content": "Hello"},
        {"type": "function_call", "call_id": "a", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "rain"},
    ]
    made = client.responses.create(input=history, tools=[WEATHER])

    items = [item.to_dict() for item in client.responses.input_items.list(made.id, order="asc")]

    assert [item["type"] for item in items] == ["message", "function_call", "function_call_output"]
    assert (items[1]["call_id"], items[1]["name"], items[2]["output"]) == ("a", "weather", "rain")
    assert len({item["id"] for item in items}) == 3


def test_the_servers_calls_run_before_the_clients_are_handed_over(
    client: OpenAI, server: ApiServer, endpoint: ModelEndpoint
) -> None:
    calls = [call("weather", "call_7"), read_note(server)]
    with client.responses.stream(model="wakeful", input=script(calls=calls), tools=[WEATHER]) as stream:
        asked = stream.get_final_response()
    assert kinds(asked.output) == ["function_call", "mcp_call"]

    output: Any = {"type": "function_call_output", "call_id": "call_7", "output": "rain"}
    answered = client.responses.create(input=[output], previous_response_id=asked.id)

    assert answered.output_text == THREE
    results = [message for message in endpoint.requests()[-1]["messages"] if message["role"] == "tool"]
    assert {result["tool_call_id"] for result in results} == {"call_7", "call_ours"}
    assert any("a note" in result["content"] for result in results)


def test_a_tool_of_the_client_takes_the_place_of_the_servers_own(client: OpenAI, endpoint: ModelEndpoint) -> None:
    own: Any = {**WEATHER, "name": "read_file", "description": "mine"}
    asked = client.responses.create(input=script(calls=[call("read_file", "call_7", path="x")]), tools=[own])

    assert kinds(asked.output) == ["function_call"]
    offered = [tool["function"] for tool in endpoint.requests()[-1]["tools"] if tool["function"]["name"] == "read_file"]
    assert [tool["description"] for tool in offered] == ["mine"]


def test_a_conversation_goes_on_after_a_call_that_its_client_answers(client: OpenAI, endpoint: ModelEndpoint) -> None:
    asked = client.responses.create(
        input=script(calls=[call("weather", "call_7")]), tools=[WEATHER], conversation="with calls"
    )
    output: Any = {"type": "function_call_output", "call_id": "call_7", "output": "rain"}

    answered = client.responses.create(input=[output], conversation="with calls")

    assert (asked.conversation, answered.output_text) == (answered.conversation, THREE)
    assert endpoint.requests()[-1]["messages"][-1]["content"] == "rain"


def test_a_call_that_was_stopped_is_closed_once_as_incomplete(client: OpenAI) -> None:
    calls = [call("terminal", "call_1", command="sleep 30"), call("list_files", "call_2")]
    made = client.responses.create(input=script(calls=calls), background=True)
    until(lambda: [item.to_dict()["status"] for item in client.responses.retrieve(made.id).output][1:] == ["completed"])

    stopped = client.responses.cancel(made.id)

    assert [item.to_dict()["status"] for item in stopped.output] == ["incomplete", "completed"]
    events: Any = list(client.responses.retrieve(made.id, stream=True))
    closed = [event.item.id for event in events if event.type == "response.output_item.done"]
    assert sorted(closed) == sorted(str(item.id) for item in stopped.output)


def test_notices_later_are_not_promised_here(demo_server: ApiServer) -> None:
    with demo_server.client() as client:
        made = client.responses.create(input="run echo hello in the background")

    result: Any = next(item for item in made.output if item.type == "mcp_call")
    assert '"notify_on_complete":false' in result.output.replace(" ", "")
    assert "notify_unsupported" in result.output
    assert "process(action='poll')" in result.output


def test_a_watch_is_not_promised_here(demo_server: ApiServer) -> None:
    with demo_server.client() as client:
        made = client.responses.create(input="watch echo hello for hello")

    result: Any = next(item for item in made.output if item.type == "mcp_call")
    assert "notify_unsupported" in result.output


def test_background_delegation_runs_in_the_same_turn_here(demo_server: ApiServer) -> None:
    with demo_server.client() as client:
        made = client.responses.create(input="delegate count to 3 in the background")

    result: Any = next(item for item in made.output if item.type == "mcp_call")
    assert "1 2 3" in result.output
    assert "synchronously" in result.output


def test_chat_promises_nothing_either(demo_server: ApiServer) -> None:
    asked: Any = [{"role": "user", "content": "run echo hello in the background"}]
    with demo_server.client() as client:
        answer = client.chat.completions.create(model="wakeful", messages=asked)

    text = answer.choices[0].message.content or ""
    assert "process(action='poll')" in text
    assert "I will speak up" not in text


def test_a_dangerous_command_is_refused_and_not_waited_for(demo_server: ApiServer) -> None:
    with demo_server.client() as client:
        made = client.responses.create(input="run rm -rf /nowhere/at/all")

    result = next(item.to_dict() for item in made.output if item.type == "mcp_call")
    assert made.status == "completed"
    assert "no person can be asked" in str(result["error"])


STRAY: Any = {"type": "function_call_output", "call_id": "call_nobody_made", "output": "rain"}


@pytest.mark.parametrize("more", [{}, {"store": False}, {"conversation": "of strays"}])
def test_an_output_that_answers_no_call_is_refused(client: OpenAI, endpoint: ModelEndpoint, more: Any) -> None:
    before = endpoint.stats()["requests"]

    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(input=[STRAY], **more)

    assert (refused.value.param, "call_nobody_made" in refused.value.message) == ("input", True)
    assert endpoint.stats()["requests"] == before


def test_the_first_output_of_a_call_stands(client: OpenAI, server: ApiServer, endpoint: ModelEndpoint) -> None:
    client.responses.create(input=script(calls=[read_note(server)]), conversation="answered twice")
    again: Any = STRAY | {"call_id": "call_ours"}

    # Clients do this that take every call for one of their own.
    before = endpoint.stats()["requests"]
    client.responses.create(input=[again], conversation="answered twice")
    call: Any = {"type": "function_call", "call_id": "call_ours", "name": "f", "arguments": "{}"}
    client.responses.create(input=[call, again | {"output": "sun"}, again])

    messages = [message for sent in endpoint.requests()[before:] for message in sent["messages"]]
    outputs = [message["content"] for message in messages if message["role"] == "tool"]
    assert len(outputs) == sum(len(message.get("tool_calls", ())) for message in messages) > 0
    assert "rain" not in outputs


def test_an_output_that_answers_no_call_is_refused_on_every_route(server: ApiServer, client: OpenAI) -> None:
    conversation = client.conversations.create()
    call: Any = {"type": "function_call", "call_id": "call_nobody_made", "name": "f", "arguments": "{}"}
    message = {"role": "tool", "tool_call_id": "call_nobody_made", "content": "rain"}

    refused = [
        server.send("POST", "/v1/runs", json={"input": [STRAY]}),
        server.send("POST", "/v1/chat/completions", json={"messages": [message]}),
        server.send("POST", f"/v1/conversations/{conversation.id}/items", json={"items": [STRAY]}),
        server.send("POST", "/v1/conversations", json={"items": [STRAY]}),
    ]

    assert [reply.json()["error"]["param"] for reply in refused] == ["input", "messages", "items", "items"]
    client.conversations.items.create(conversation.id, items=[call])
    assert client.responses.create(input=[STRAY], conversation=conversation.id).status == "completed"


def test_no_more_tools_are_called_than_the_client_allows(client: OpenAI, server: ApiServer) -> None:
    calls = [read_note(server) | {"id": f"call_{number}"} for number in range(3)]

    made = client.responses.create(input=script(calls=calls), max_tool_calls=2)

    results: list[Any] = [item for item in made.output if item.type == "mcp_call"]
    assert ["a note" in (result.output or "") for result in results] == [True, True, False]
    assert "max_tool_calls" in str(results[2].error)
    assert (made.output_text, made.max_tool_calls) == (THREE, 2)


@pytest.mark.parametrize("more", [{"tool_choice": "none"}, {"max_tool_calls": 0}])
@pytest.mark.parametrize("is_stored", [True, False])
def test_no_tool_runs_where_the_client_allows_none(
    client: OpenAI, server: ApiServer, endpoint: ModelEndpoint, more: Any, is_stored: bool
) -> None:
    mark = server.home / "workspace" / "must not be"
    calls = [call("write_file", "call_1", path=mark.name, content="x")]

    made = client.responses.create(input=script(calls=calls), store=is_stored, **more)

    first, second = endpoint.requests()[-2:]
    assert [name for sent in (first, second) for name in ("tools", "tool_choice") if name in sent] == []
    refused: Any = made.output[0]
    assert (refused.status, made.output_text, mark.exists()) == ("failed", THREE, False)
    assert next(iter(more)) in second["messages"][-1]["content"]


def test_no_tool_runs_in_a_chat_that_allows_none(server: ApiServer, endpoint: ModelEndpoint) -> None:
    mark = server.home / "workspace" / "must not be either"
    calls = [call("write_file", "call_1", path=mark.name, content="x"), call("weather", "call_2")]
    tools = [{"type": "function", "function": {"name": "weather"}}]
    asked = {"messages": [{"role": "user", "content": script(calls=calls)}], "tools": tools, "tool_choice": "none"}

    reply = server.send("POST", "/v1/chat/completions", json=asked).json()

    choice = reply["choices"][0]
    assert (choice["finish_reason"], choice["message"]["content"], mark.exists()) == ("stop", THREE, False)
    assert [name for sent in endpoint.requests()[-2:] for name in ("tools", "tool_choice") if name in sent] == []


def test_only_the_tools_that_the_client_allows_are_offered_and_run(
    client: OpenAI, server: ApiServer, endpoint: ModelEndpoint
) -> None:
    allowed: Any = [{"type": "function", "name": name} for name in ("read_file", "weather")]
    choice: Any = {"type": "allowed_tools", "mode": "required", "tools": allowed}
    calls = [read_note(server), call("list_files", "call_2")]

    made = client.responses.create(input=script(calls=calls), tools=[WEATHER], tool_choice=choice)

    first = endpoint.requests()[-2]
    assert sorted(tool["function"]["name"] for tool in first["tools"]) == ["read_file", "weather"]
    assert first["tool_choice"] == "required"
    assert [item.to_dict()["status"] for item in made.output[:2]] == ["completed", "failed"]


def test_a_tool_that_must_be_called_is_called_once(client: OpenAI, server: ApiServer, endpoint: ModelEndpoint) -> None:
    client.responses.create(input=script(calls=[read_note(server)]), tool_choice="required")

    assert [sent.get("tool_choice") for sent in endpoint.requests()[-2:]] == ["required", None]
