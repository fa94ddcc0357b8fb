"""Input items that refer to stored items."""

from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.api.server import BOB, ApiServer, ModelEndpoint, script


def named(item_id: str, **more: Any) -> Any:
    return {"type": "item_reference", "id": item_id, **more}


def said_to_model(endpoint: ModelEndpoint) -> list[tuple[str, str]]:
    """Return role and text of the messages in the last request, without the instructions."""
    return [(message["role"], message["content"]) for message in endpoint.requests()[-1]["messages"][1:]]


@pytest.mark.parametrize("is_stored", [True, False])
def test_what_was_asked_and_answered_can_be_named(client: OpenAI, endpoint: ModelEndpoint, is_stored: bool) -> None:
    made = client.responses.create(input=[{"role": "user", "content": "one"}])
    asked = client.responses.input_items.list(made.id).data[0]
    words: Any = [named(str(asked.id)), {"id": made.output[0].id}, {"role": "user", "content": "two"}]

    more = client.responses.create(input=words, store=is_stored)

    assert said_to_model(endpoint) == [("user", "one"), ("assistant", made.output_text), ("user", "two")]
    if is_stored:
        listed: Any = client.responses.input_items.list(more.id, order="asc").data
        assert [item.content[0].text for item in listed] == ["one", made.output_text, "two"]


def test_a_call_of_the_servers_can_be_named(client: OpenAI, endpoint: ModelEndpoint) -> None:
    made = client.responses.create(input=script(calls=[{"name": "list_files", "id": "call_1", "arguments": {}}]))
    call = made.output[0]

    more = client.responses.create(input=[named(str(call.id)), {"role": "user", "content": "And?"}])

    listed: Any = client.responses.input_items.list(more.id, order="asc").data[0]
    assert listed.to_dict() == call.to_dict() | {"id": listed.id}
    sent = endpoint.requests()[-1]["messages"][1:]
    assert [message["role"] for message in sent] == ["assistant", "tool", "user"]
    assert sent[0]["tool_calls"][0]["id"] == sent[1]["tool_call_id"] == "call_1"


def test_items_of_a_conversation_can_be_named_elsewhere(client: OpenAI, endpoint: ModelEndpoint) -> None:
    words: Any = {"role": "user", "content": "one"}
    conversation = client.conversations.create(items=[words])
    item = client.conversations.items.list(conversation.id).data[0]

    other = client.conversations.create(items=[named(str(item.id))])
    client.conversations.items.create(other.id, items=[named(str(item.id))])
    client.responses.create(input="two", conversation=other.id)

    assert said_to_model(endpoint) == [("user", "one"), ("user", "one"), ("user", "two")]


def test_an_item_of_a_deleted_response_exists_only_in_its_conversation(client: OpenAI) -> None:
    alone = client.responses.create(input="one")
    kept = client.responses.create(input="one", conversation="keeps its items")
    for made in (alone, kept):
        client.responses.delete(made.id)

    refuse(client, str(alone.output[0].id))
    assert client.responses.create(input=[named(str(kept.output[0].id))]).status == "completed"


def test_an_item_that_was_deleted_cannot_be_named(client: OpenAI) -> None:
    made = client.responses.create(input="one", conversation="to delete from")
    assert made.conversation is not None
    item_id = str(made.output[0].id)

    client.conversations.items.delete(item_id, conversation_id=made.conversation.id)

    refuse(client, item_id)


@pytest.mark.parametrize("unknown", ["msg_nobody", "msg_1_1_1", "x", "", "msg_\0_0_0", "msg_1_1_" + "9" * 30, "_" * 9])
def test_what_does_not_exist_cannot_be_named(client: OpenAI, unknown: str) -> None:
    refuse(client, unknown)


def test_a_position_without_an_item_cannot_be_named(client: OpenAI) -> None:
    item_id = str(client.responses.create(input="one").output[0].id)
    turn = item_id.split("_")[1]

    for item_id in (f"fc_{turn}_1_0", f"fco_{turn}_1_0", f"msg_{turn}_0_7", f"msg_{turn}_9_0", f"odd_{turn}_1_0"):
        refuse(client, item_id)


def test_items_of_another_key_cannot_be_named(server: ApiServer, client: OpenAI) -> None:
    item_id = str(client.responses.create(input="one", conversation="hers").output[0].id)

    with server.client(BOB) as bob:
        refuse(bob, item_id)


def test_a_run_may_name_an_item(server: ApiServer, client: OpenAI) -> None:
    item_id = str(client.responses.create(input="one").output[0].id)

    assert server.send("POST", "/v1/runs", json={"input": [named(item_id)]}).status_code == 202
    assert server.send("POST", "/v1/runs", BOB, json={"input": [named(item_id)]}).status_code == 404


def refuse(client: OpenAI, item_id: str) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        client.responses.create(input=[{"role": "user", "content": "x"}, named(item_id)])
    assert (refused.value.code, refused.value.param) == ("item_not_found", "input[1].id")
