"""store=false: a response that belongs to its connection, and of which nothing is left."""

import asyncio
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


def test_background_work_is_refused_before_it_begins(client: OpenAI, server: ApiServer) -> None:
    mark = server.home / "workspace" / "begun"

    process, delegation, listed = results_of(
        client,
        {"name": "terminal", "arguments": {"command": f"touch {mark}", "background": True}},
        {"name": "delegate_task", "arguments": {"goal": "do it"}},
        {"name": "process", "arguments": {"action": "list"}},
    )

    needs = "background work needs a stored response: leave store=false out"
    assert needs[1:] in process["error"]
    assert needs[1:] in delegation["error"]
    assert {process["code"], delegation["code"]} == {"invalid_arguments"}
    assert not [known for known in listed["processes"] if str(mark) in known["command"]]
    assert not mark.exists()


def test_a_tool_of_the_client_is_handed_back(client: OpenAI) -> None:
    words = script(calls=[{"name": "weather", "arguments": {"city": "Oslo"}}])
    tool: Any = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}

    response = client.responses.create(input=words, tools=[tool], store=False)

    assert [item.type for item in response.output] == ["function_call"]


def said_to(endpoint: ModelEndpoint) -> list[str]:
    """What users have said in the conversation that the model was last asked about."""
    return [message["content"] for message in endpoint.requests()[-1]["messages"] if message["role"] == "user"]


def results_of(client: OpenAI, *calls: dict[str, Any]) -> list[Any]:
    """What these calls answer in a response that is not stored, in the order of the calls."""
    conversation = client.conversations.create().id
    response = client.responses.create(input=script(calls=calls), conversation=conversation, store=False)
    items = [item.to_dict() for item in response.output]
    outputs = {item["call_id"]: item["output"] for item in items if item["type"] == "function_call_output"}
    made = [item["call_id"] for item in items if item["type"] == "function_call"]
    return [orjson.loads(str(outputs[call_id])) for call_id in made]
