"""Responses that continue others: by previous_response_id and in conversations."""

import asyncio
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.responses import Response

from tests.api.server import ApiServer, ModelEndpoint, script, until

HANGING = script(tokens=3, hang_after=1)
FAILING = script(status=401)
CUT = script(finish_reason="length")


def said_to_model(endpoint: ModelEndpoint) -> list[str]:
    """Return the texts of the last request to the model, without the instructions."""
    return [message["content"] for message in endpoint.requests()[-1]["messages"] if message["role"] != "system"]


def start(client: OpenAI, **how: Any) -> Response:
    """Return a response whose model hangs after its first words."""
    made: Response = client.responses.create(input=HANGING, background=True, **how)
    until(lambda: client.responses.retrieve(made.id).output_text != "")
    return made


def test_a_response_goes_on_from_another(client: OpenAI, endpoint: ModelEndpoint) -> None:
    first = client.responses.create(input=script(text="one"))
    second = client.responses.create(input=script(text="two"), previous_response_id=first.id)
    third = client.responses.create(input="three?", previous_response_id=second.id)

    assert said_to_model(endpoint) == [script(text="one"), "one", script(text="two"), "two", "three?"]
    assert third.previous_response_id == second.id
    assert client.responses.retrieve(third.id).previous_response_id == second.id


def test_the_page_lists_conversations_and_no_single_responses(client: OpenAI, server: ApiServer) -> None:
    def listed() -> list[str]:
        return [row["session_id"] for row in server.send("GET", "/api/sessions").json()["sessions"]]

    before = listed()
    first = client.responses.create(input="one")
    client.responses.create(input="two", previous_response_id=first.id)

    assert listed() == before
    client.responses.create(input="three", conversation=client.conversations.create().id)
    assert listed()[0] not in before


def test_instructions_are_not_inherited(client: OpenAI, endpoint: ModelEndpoint) -> None:
    first = client.responses.create(input="Hello", instructions="Speak Latin.")
    second = client.responses.create(input="And?", previous_response_id=first.id)

    assert "Latin" not in str(endpoint.requests()[-1])
    assert second.instructions is None


def test_several_may_go_on_from_the_same_response(client: OpenAI, endpoint: ModelEndpoint) -> None:
    root = client.responses.create(input="root")
    left = client.responses.create(input=script(text="left"), previous_response_id=root.id)
    client.responses.create(input="right", previous_response_id=root.id)

    assert said_to_model(endpoint) == ["root", root.output_text, "right"]
    client.responses.create(input="on", previous_response_id=left.id)
    assert said_to_model(endpoint) == ["root", root.output_text, script(text="left"), "left", "on"]


def test_two_forks_may_run_at_the_same_time(client: OpenAI) -> None:
    root = client.responses.create(input="root")
    left = start(client, previous_response_id=root.id)

    right = client.responses.create(input="right", previous_response_id=root.id)

    assert right.status == "completed"
    client.responses.cancel(left.id)


def test_a_deleted_response_stays_in_the_context_of_those_that_grew_from_it(
    client: OpenAI, endpoint: ModelEndpoint
) -> None:
    first = client.responses.create(input="first")
    second = client.responses.create(input="second", previous_response_id=first.id)
    client.responses.delete(first.id)

    client.responses.create(input="third", previous_response_id=second.id)

    assert said_to_model(endpoint) == ["first", first.output_text, "second", second.output_text, "third"]


def test_nothing_goes_on_from_a_response_that_has_not_completed(client: OpenAI) -> None:
    running = start(client)
    refuse(client, running.id)

    client.responses.cancel(running.id)
    refuse(client, running.id)
    refuse(client, client.responses.create(input=FAILING).id)
    refuse(client, client.responses.create(input=CUT).id)


def refuse(client: OpenAI, previous: str) -> None:
    with pytest.raises(openai.ConflictError) as refused:
        client.responses.create(input="And?", previous_response_id=previous)
    assert refused.value.code == "previous_response_not_completed"
    assert refused.value.param == "previous_response_id"


@pytest.mark.parametrize("unknown", ["resp_nobody", "nonsense", "resp_\0", "turn_x", "resp_" + "x" * 300])
def test_nothing_goes_on_from_an_unknown_response(client: OpenAI, unknown: str) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(input="And?", previous_response_id=unknown)
    assert refused.value.param == "previous_response_id"


def test_nothing_goes_on_from_an_answer_of_chat(client: OpenAI) -> None:
    answer = client.chat.completions.create(model="wakeful", messages=[{"role": "user", "content": "Hello"}])

    with pytest.raises(openai.BadRequestError):
        client.responses.create(input="And?", previous_response_id=answer.id.replace("chatcmpl-", "resp_"))


def test_nothing_goes_on_from_a_deleted_response(client: OpenAI) -> None:
    made = client.responses.create(input="Hello")
    client.responses.delete(made.id)

    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(input="And?", previous_response_id=made.id)
    assert refused.value.code == "previous_response_not_found"


def test_a_conversation_is_made_changed_and_deleted(client: OpenAI) -> None:
    made = client.conversations.create(metadata={"topic": "garden"})
    assert client.conversations.retrieve(made.id) == made

    changed = client.conversations.update(made.id, metadata={"topic": "house"})
    assert changed.metadata == client.conversations.retrieve(made.id).metadata == {"topic": "house"}

    assert client.conversations.delete(made.id).deleted
    for gone in (client.conversations.retrieve, client.conversations.delete):
        with pytest.raises(openai.NotFoundError):
            gone(made.id)


def test_responses_of_a_conversation_know_each_other(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation = client.conversations.create()
    first = client.responses.create(input=script(text="one"), conversation=conversation.id)
    client.responses.create(input="two?", conversation={"id": conversation.id})

    assert said_to_model(endpoint) == [script(text="one"), "one", "two?"]
    assert first.conversation is not None
    assert first.conversation.id == conversation.id


def test_a_conversation_is_made_when_its_name_is_first_used(client: OpenAI, endpoint: ModelEndpoint) -> None:
    first = client.responses.create(input="one", conversation="a name of mine")
    second = client.responses.create(input="two", conversation="a name of mine")

    assert said_to_model(endpoint) == ["one", first.output_text, "two"]
    assert first.conversation is not None
    assert first.conversation == second.conversation
    assert client.conversations.retrieve(first.conversation.id).id.startswith("conv_")


def test_a_conversation_takes_nothing_more_while_a_response_runs(client: OpenAI, server: ApiServer) -> None:
    running = start(client, conversation="busy")

    reply = server.send("POST", "/v1/responses", json={"input": "And?", "conversation": "busy"})

    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "conversation_response_not_completed")
    assert reply.headers["x-should-retry"] == "false"
    client.responses.cancel(running.id)


def test_a_cancelled_response_leaves_nothing_in_its_conversation_and_frees_it(
    client: OpenAI, endpoint: ModelEndpoint
) -> None:
    first = client.responses.create(input="first", conversation="of cancelled")
    client.responses.cancel(start(client, conversation="of cancelled").id)

    client.responses.create(input="last", conversation="of cancelled")

    assert said_to_model(endpoint) == ["first", first.output_text, "last"]


def test_a_failed_response_leaves_nothing_in_its_conversation_and_frees_it(
    client: OpenAI, endpoint: ModelEndpoint
) -> None:
    first = client.responses.create(input="first", conversation="of failed")
    assert client.responses.create(input=FAILING, conversation="of failed").status == "failed"

    client.responses.create(input="last", conversation="of failed")

    assert said_to_model(endpoint) == ["first", first.output_text, "last"]


def test_an_incomplete_response_leaves_nothing_in_its_conversation_and_frees_it(
    client: OpenAI, endpoint: ModelEndpoint
) -> None:
    first = client.responses.create(input="one", conversation="with a cut")
    cut = client.responses.create(input=CUT, conversation="with a cut")
    assert cut.status == "incomplete"

    client.responses.create(input="two", conversation="with a cut")

    assert said_to_model(endpoint) == ["one", first.output_text, "two"]


def test_a_response_looks_the_same_when_its_conversation_is_gone(client: OpenAI) -> None:
    made = client.responses.create(input="one", conversation="soon gone")
    assert made.conversation is not None
    events = list(client.responses.retrieve(made.id, stream=True))

    client.conversations.delete(made.conversation.id)

    assert client.responses.retrieve(made.id) == made
    assert list(client.responses.retrieve(made.id, stream=True)) == events


async def test_of_many_at_once_a_new_conversation_takes_one(server: ApiServer) -> None:
    async with server.async_client() as client:
        asked = [client.responses.create(input=HANGING, conversation="crowded", background=True) for _ in range(10)]
        made = await asyncio.gather(*asked, return_exceptions=True)
        taken = [response for response in made if isinstance(response, Response)]
        await client.responses.cancel(taken[0].id)

    assert len(taken) == 1
    assert sum(isinstance(refused, openai.ConflictError) for refused in made) == 9


def test_an_unknown_conversation_is_not_found(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        client.responses.create(input="Hello", conversation="conv_nobody")
    assert (refused.value.code, refused.value.param) == ("conversation_not_found", "conversation")


@pytest.mark.parametrize("conversation", ["", "x" * 257, {"id": 7}, 7, {}, []])
def test_a_conversation_that_is_neither_an_id_nor_a_name_is_refused(server: ApiServer, conversation: Any) -> None:
    reply = server.send("POST", "/v1/responses", json={"input": "Hello", "conversation": conversation})

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "conversation")


def test_a_conversation_and_a_previous_response_cannot_both_be_given(client: OpenAI) -> None:
    made = client.responses.create(input="Hello")

    with pytest.raises(openai.BadRequestError):
        client.responses.create(input="And?", conversation="some", previous_response_id=made.id)
