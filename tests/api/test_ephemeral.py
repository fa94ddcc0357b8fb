"""store=false: a response that lives as long as its connection and leaves nothing behind."""

import asyncio
from pathlib import Path
from typing import Any

import openai
import orjson
import pytest
from openai import AsyncOpenAI, OpenAI

from tests.api.server import ApiServer, ModelEndpoint, script, until

# The client closes the connection where a test leaves a stream: the endpoint then counts one dropped request.


def test_it_answers_and_is_gone(client: OpenAI) -> None:
    response = client.responses.create(input="hello", store=False)

    assert (response.status, response.output_text) == ("completed", "token0 token1 token2 ")
    assert response.to_dict()["store"] is False
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(response.id)
    with pytest.raises(openai.BadRequestError, match="no response"):
        client.responses.create(input="go on", previous_response_id=response.id)


def test_its_stream_has_the_frames_of_a_stored_one(client: OpenAI) -> None:
    words = script(text="hi", calls=[{"name": "list_files", "arguments": {}}], reasoning_tokens=1)

    unstored = list(client.responses.create(input=words, store=False, stream=True))
    stored = list(client.responses.create(input=words, stream=True))

    assert [event.type for event in unstored] == [event.type for event in stored]
    assert [event.sequence_number for event in unstored] == list(range(len(unstored)))
    with client.responses.stream(model="wakeful", input=words, store=False) as stream:
        assert stream.get_final_response().output_text == "hi"


def test_leaving_its_stream_cancels_the_model_call(client: OpenAI, endpoint: ModelEndpoint) -> None:
    with endpoint.seeing(dropped=1):
        stream = client.responses.create(input=script(tokens=9, hang_after=2), store=False, stream=True)
        next(event for event in stream if event.type == "response.output_text.delta")
        stream.close()


async def test_leaving_before_the_answer_cancels_the_model_call(
    async_client: AsyncOpenAI, endpoint: ModelEndpoint
) -> None:
    seen = endpoint.stats()
    asking = asyncio.create_task(async_client.responses.create(input=script(hang=True), store=False))
    await asyncio.to_thread(until, lambda: endpoint.stats()["requests"] > seen["requests"])

    asking.cancel()

    await asyncio.to_thread(until, lambda: endpoint.stats()["dropped"] > seen["dropped"])


def test_a_conversation_is_read_and_not_moved(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation = client.conversations.create().id
    client.responses.create(input="one", conversation=conversation)

    unstored = client.responses.create(input="two", conversation=conversation, store=False)
    assert unstored.conversation is not None
    assert unstored.conversation.id == conversation
    assert said_to(endpoint) == ["one", "two"]

    client.responses.create(input="three", conversation=conversation)
    assert said_to(endpoint) == ["one", "three"]


def test_a_previous_response_is_read(client: OpenAI, endpoint: ModelEndpoint) -> None:
    first = client.responses.create(input="one")

    client.responses.create(input="two", previous_response_id=first.id, store=False)

    assert said_to(endpoint) == ["one", "two"]
    roles = [message["role"] for message in endpoint.requests()[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_a_conversation_with_an_active_response_is_busy(client: OpenAI) -> None:
    conversation = client.conversations.create().id
    active = client.responses.create(input=script(hang=True), conversation=conversation, background=True)
    try:
        with pytest.raises(openai.ConflictError) as refused:
            client.responses.create(input="two", conversation=conversation, store=False)
    finally:
        client.responses.cancel(active.id)

    assert refused.value.code == "conversation_response_not_completed"


def test_two_may_read_the_same_conversation_at_once(client: OpenAI) -> None:
    conversation = client.conversations.create().id
    hanging = script(tokens=9, hang_after=1)
    first = client.responses.create(input=hanging, conversation=conversation, store=False, stream=True)
    next(event for event in first if event.type == "response.output_text.delta")

    second = client.responses.create(input="two", conversation=conversation, store=False)
    stored = client.responses.create(input="three", conversation=conversation)

    first.close()
    assert (second.status, stored.status) == ("completed", "completed")


def test_a_key_or_background_needs_a_stored_response(client: OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as keyed:
        client.responses.create(input="hi", store=False, extra_headers={"Idempotency-Key": "k"})
    with pytest.raises(openai.BadRequestError) as background:
        client.responses.create(input="hi", store=False, background=True)

    assert keyed.value.code == "idempotency_requires_store"
    assert background.value.code == "background_requires_store"


def test_a_failing_model_is_a_failed_response(client: OpenAI) -> None:
    response = client.responses.create(input=script(status=400), store=False)

    assert response.status == "failed"
    assert response.error is not None


def test_a_foreground_command_runs(client: OpenAI) -> None:
    (result,) = results_of(client, {"name": "terminal", "arguments": {"command": "echo 6 times 7"}})

    assert (result["output"].strip(), result["exit_code"]) == ("6 times 7", 0)


def test_a_background_command_runs_and_ends_with_its_response(client: OpenAI, server: ApiServer) -> None:
    pid_file = server.home / "workspace" / "first.pid"
    background, waiting = left_running(pid_file)

    started, _ = results_of(client, background, waiting)

    assert started["notify_on_complete"] is False
    assert "process(action='poll')" in started["notify_unsupported"]
    until(lambda: not is_alive(pid_file))
    assert server.send("GET", "/api/tasks").json()["tasks"] == tasks_without(server, started["session_id"])


def test_a_background_command_ends_when_its_client_leaves(client: OpenAI, server: ApiServer) -> None:
    pid_file = server.home / "workspace" / "second.pid"
    background, _ = left_running(pid_file)
    hanging = {"name": "terminal", "arguments": {"command": "sleep 4713"}}
    stream = client.responses.create(input=script(calls=[background, hanging]), store=False, stream=True)
    next(iter(stream))
    until(lambda: pid_file.exists() and is_alive(pid_file))

    stream.close()

    until(lambda: not is_alive(pid_file))


def test_a_background_command_of_a_killed_server_ends_at_its_restart(own_server: ApiServer) -> None:
    pid_file = own_server.home / "workspace" / "third.pid"
    background, _ = left_running(pid_file)
    hanging = {"name": "terminal", "arguments": {"command": "sleep 4714"}}
    with own_server.client() as client:
        stream = client.responses.create(input=script(calls=[background, hanging]), store=False, stream=True)
        next(iter(stream))
        until(lambda: pid_file.exists() and is_alive(pid_file))
        own_server.kill()
    assert is_alive(pid_file)

    own_server.start()

    until(lambda: not is_alive(pid_file))


def test_sub_agents_work_within_the_call_and_leave_nothing(client: OpenAI, server: ApiServer) -> None:
    counting = script(text="42", calls=[{"name": "terminal", "arguments": {"command": "echo 6 times 7 > counted"}}])
    goals = [{"goal": script(text="one")}, {"goal": counting}]
    before = sessions(server)

    (answer,) = results_of(client, {"name": "delegate_task", "arguments": {"tasks": goals, "background": True}})

    assert [(done["status"], done["result"]) for done in answer["results"]] == [
        ("completed", "one"),
        ("completed", "42"),
    ]
    assert "synchronously" in answer["note"]
    assert (server.home / "workspace" / "counted").read_text() == "6 times 7\n"
    # Only the conversation of this test is left, and none of a sub-agent.
    assert len(sessions(server) - before) == 1


def test_leaving_stops_the_models_of_sub_agents(client: OpenAI, endpoint: ModelEndpoint) -> None:
    seen = endpoint.stats()
    delegating = {"name": "delegate_task", "arguments": {"goal": script(hang=True)}}
    stream = client.responses.create(input=script(calls=[delegating]), store=False, stream=True)
    next(iter(stream))
    until(lambda: endpoint.stats()["requests"] == seen["requests"] + 2)

    stream.close()

    until(lambda: endpoint.stats()["dropped"] == seen["dropped"] + 1)


def left_running(pid_file: Path) -> list[dict[str, Any]]:
    """Return calls of a background command, and of one that waits until that runs."""
    command = f"echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; exec sleep 4712"
    until_there = f"until [ -e {pid_file} ]; do sleep 0.02; done"
    return [
        {"name": "terminal", "arguments": {"command": command, "background": True, "notify_on_complete": True}},
        {"name": "terminal", "arguments": {"command": until_there}},
    ]


def sessions(server: ApiServer) -> set[str]:
    return {row["session_id"] for row in server.send("GET", "/api/sessions").json()["sessions"]}


def is_alive(pid_file: Path) -> bool:
    return Path(f"/proc/{pid_file.read_text().strip()}").exists()


def tasks_without(server: ApiServer, task_id: str) -> list[dict[str, Any]]:
    tasks: list[dict[str, Any]] = server.send("GET", "/api/tasks").json()["tasks"]
    return [task for task in tasks if task["id"] != task_id]


def test_a_tool_of_the_client_is_handed_back(client: OpenAI) -> None:
    words = script(calls=[{"name": "weather", "arguments": {"city": "Oslo"}}])
    tool: Any = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}

    response = client.responses.create(input=words, tools=[tool], store=False)

    assert [item.type for item in response.output] == ["function_call"]


def said_to(endpoint: ModelEndpoint) -> list[str]:
    """Return the users' messages in the last request to the model."""
    return [message["content"] for message in endpoint.requests()[-1]["messages"] if message["role"] == "user"]


def results_of(client: OpenAI, *calls: dict[str, Any]) -> list[Any]:
    """Return the results of these calls in an unstored response, in the order of the calls."""
    conversation = client.conversations.create().id
    response = client.responses.create(input=script(calls=calls), conversation=conversation, store=False)
    items = [item.to_dict() for item in response.output]
    return [_result_of(item) for item in items if item["type"] == "mcp_call"]


def _result_of(call: Any) -> Any:
    return orjson.loads(call["output"]) if call["error"] is None else {"error": call["error"]["content"][0]["text"]}
