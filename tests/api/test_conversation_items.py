"""The items of a conversation, as the official client lists and adds them."""

from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.api.server import BOB, ApiServer, ModelEndpoint, script


def said(text: str, role: str = "user") -> Any:
    return {"type": "message", "role": role, "content": text}


def texts(items: Any) -> list[str]:
    """Return the text of each message, and the type of any other item."""
    shown: list[Any] = [item.to_dict() for item in items]
    return [item["content"][0]["text"] if item["type"] == "message" else item["type"] for item in shown]


def test_a_conversation_is_the_list_of_what_was_said_in_it(client: OpenAI) -> None:
    conversation = client.conversations.create()
    client.responses.create(input=script(text="one"), conversation=conversation.id)
    client.responses.create(input=script(text="two"), conversation=conversation.id)

    oldest_first = client.conversations.items.list(conversation.id, order="asc")
    newest_first = client.conversations.items.list(conversation.id)

    assert texts(oldest_first) == [script(text="one"), "one", script(text="two"), "two"]
    assert texts(newest_first) == texts(oldest_first)[::-1]


def test_a_new_conversation_has_the_items_that_it_was_made_with(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation = client.conversations.create(items=[said("Be brief.", "developer"), said("Hello")])
    assert texts(client.conversations.items.list(conversation.id, order="asc")) == ["Be brief.", "Hello"]

    client.responses.create(input="And?", conversation=conversation.id)

    assert [m["content"] for m in endpoint.requests()[-1]["messages"][1:]] == ["Be brief.", "Hello", "And?"]


def test_items_can_be_added_without_asking_the_model(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation = client.conversations.create()
    first = client.responses.create(input="first", conversation=conversation.id)
    before = endpoint.stats()["requests"]

    added = client.conversations.items.create(conversation.id, items=[said("aside"), said("noted", "assistant")])

    assert (texts(added.data), endpoint.stats()["requests"]) == (["aside", "noted"], before)
    client.responses.create(input="last", conversation=conversation.id)
    sent = [message["content"] for message in endpoint.requests()[-1]["messages"][1:]]
    assert sent == ["first", first.output_text, "aside", "noted", "last"]


def test_one_item_is_found_by_its_id(client: OpenAI) -> None:
    conversation = client.conversations.create(items=[said("Hello")])
    listed = next(iter(client.conversations.items.list(conversation.id)))
    item_id = str(listed.to_dict()["id"])

    assert client.conversations.items.retrieve(item_id, conversation_id=conversation.id) == listed
    with pytest.raises(openai.NotFoundError):
        client.conversations.items.retrieve("msg_nobody", conversation_id=conversation.id)


def test_items_are_listed_page_by_page(client: OpenAI) -> None:
    words = [f"word {number}" for number in range(7)]
    conversation = client.conversations.create(items=[said(word) for word in words])

    page: Any = client.conversations.items.list(conversation.id, order="asc", limit=3)

    assert (texts(page.data), page.has_more) == (words[:3], True)
    assert texts(page) == words


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "x"}, {"limit": "101"}, {"order": "up"}, {"after": "x"}])
def test_a_page_that_cannot_be_is_refused(server: ApiServer, client: OpenAI, query: dict[str, str]) -> None:
    conversation = client.conversations.create()

    reply = server.send("GET", f"/v1/conversations/{conversation.id}/items", params=query)

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, next(iter(query)))


def test_calls_and_results_are_items_too(client: OpenAI, server: ApiServer) -> None:
    (server.home / "workspace" / "note.txt").write_text("a note")
    calls = [{"name": "read_file", "arguments": {"path": "note.txt"}}]
    made = client.responses.create(input=script(calls=calls), conversation="of calls")
    assert made.conversation is not None

    items = client.conversations.items.list(made.conversation.id, order="asc")

    assert [item.type for item in items] == ["message", "mcp_call", "message"]
    assert "a note" in str(items.data[1].to_dict()["output"])


def test_failed_and_cancelled_responses_are_no_items(client: OpenAI) -> None:
    conversation = client.conversations.create(items=[said("Hello")])
    client.responses.create(input=script(status=401), conversation=conversation.id)
    running = client.responses.create(input=script(hang_after=1), conversation=conversation.id, background=True)
    client.responses.cancel(running.id)

    assert texts(client.conversations.items.list(conversation.id)) == ["Hello"]


def test_nothing_is_added_while_a_response_runs(client: OpenAI) -> None:
    conversation = client.conversations.create()
    running = client.responses.create(input=script(hang_after=1), conversation=conversation.id, background=True)

    with pytest.raises(openai.ConflictError) as refused:
        client.conversations.items.create(conversation.id, items=[said("aside")])

    assert refused.value.code == "conversation_response_not_completed"
    client.responses.cancel(running.id)


def test_a_deleted_response_stays_an_item(client: OpenAI) -> None:
    conversation = client.conversations.create()
    made = client.responses.create(input="Hello", conversation=conversation.id)

    client.responses.delete(made.id)

    assert texts(client.conversations.items.list(conversation.id, order="asc")) == ["Hello", made.output_text]


def test_items_of_another_key_are_not_found(server: ApiServer, client: OpenAI) -> None:
    conversation = client.conversations.create(items=[said("Hello")])
    path = f"/v1/conversations/{conversation.id}/items"

    assert server.send("GET", path, BOB).status_code == 404
    assert server.send("POST", path, BOB, json={"items": [said("x")]}).status_code == 404


@pytest.mark.parametrize("items", [[], "x", [7], [{"type": "computer_call"}], None])
def test_items_that_cannot_be_understood_are_refused(server: ApiServer, client: OpenAI, items: Any) -> None:
    conversation = client.conversations.create()

    reply = server.send("POST", f"/v1/conversations/{conversation.id}/items", json={"items": items})

    assert reply.status_code == 400


def test_an_item_can_be_deleted(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation = client.conversations.create(items=[said("one"), said("two"), said("three")])
    second = ids(client, conversation.id)[1]

    assert client.conversations.items.delete(second, conversation_id=conversation.id) == conversation

    assert texts(client.conversations.items.list(conversation.id, order="asc")) == ["one", "three"]
    for again in (client.conversations.items.retrieve, client.conversations.items.delete):
        with pytest.raises(openai.NotFoundError):
            again(second, conversation_id=conversation.id)
    client.responses.create(input="four", conversation=conversation.id)
    assert sent_to_model(endpoint) == ["one", "three", "four"]


def test_a_response_stays_as_it_is_when_its_items_are_deleted(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation = client.conversations.create()
    made = client.responses.create(input="secret", conversation=conversation.id)
    shown = client.responses.retrieve(made.id)
    asked = client.responses.input_items.list(made.id).data

    for item_id in ids(client, conversation.id):
        client.conversations.items.delete(item_id, conversation_id=conversation.id)

    assert client.conversations.items.list(conversation.id).data == []
    assert client.responses.retrieve(made.id) == shown
    assert client.responses.input_items.list(made.id).data == asked
    client.responses.create(input="in it", conversation=conversation.id)
    assert sent_to_model(endpoint) == ["in it"]
    # Deleted items are gone, whichever way a request continues.
    client.responses.create(input="from it", previous_response_id=made.id)
    assert sent_to_model(endpoint) == ["from it"]
    client.responses.create(input="unstored", conversation=conversation.id, store=False)
    assert sent_to_model(endpoint) == ["in it", "token0 token1 token2 ", "unstored"]


def test_a_call_of_the_servers_is_deleted_with_its_result(client: OpenAI, endpoint: ModelEndpoint) -> None:
    calls = [{"name": "list_files", "id": f"call_{n}", "arguments": {}} for n in (1, 2)]
    words = script(calls=calls, text="done")
    made = client.responses.create(input=words, conversation="one call less")
    assert made.conversation is not None
    items = [item.to_dict() for item in client.conversations.items.list(made.conversation.id, order="asc")]
    doomed = next(item for item in items if item["type"] == "mcp_call")

    client.conversations.items.delete(str(doomed["id"]), conversation_id=made.conversation.id)

    left = [item.to_dict() for item in client.conversations.items.list(made.conversation.id, order="asc")]
    assert left == [item for item in items if item != doomed]
    client.responses.create(input="And?", conversation=made.conversation.id)
    sent = endpoint.requests()[-1]["messages"][1:]
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "assistant", "user"]
    assert [call["id"] for call in sent[1]["tool_calls"]] == [sent[2]["tool_call_id"]] == ["call_2"]


def test_an_output_of_the_client_is_deleted_with_its_call(client: OpenAI, endpoint: ModelEndpoint) -> None:
    tool: Any = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}
    words = script(calls=[{"name": "weather", "id": "call_7", "arguments": {}}])
    made = client.responses.create(input=words, tools=[tool], conversation="of the client")
    assert made.conversation is not None
    answer: Any = {"type": "function_call_output", "call_id": "call_7", "output": "rain"}
    client.responses.create(input=[answer], conversation="of the client")
    output = next(item for item in client.conversations.items.list(made.conversation.id) if "output" in item.type)

    client.conversations.items.delete(str(output.to_dict()["id"]), conversation_id=made.conversation.id)

    client.responses.create(input="And?", conversation="of the client")
    sent = endpoint.requests()[-1]["messages"][1:]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert "tool_calls" not in sent[1]


def test_nothing_is_deleted_while_a_response_runs(client: OpenAI) -> None:
    conversation = client.conversations.create(items=[said("one")])
    running = client.responses.create(input=script(hang_after=1), conversation=conversation.id, background=True)

    with pytest.raises(openai.ConflictError) as refused:
        client.conversations.items.delete(ids(client, conversation.id)[0], conversation_id=conversation.id)

    assert refused.value.code == "conversation_response_not_completed"
    client.responses.cancel(running.id)
    assert texts(client.conversations.items.list(conversation.id)) == ["one"]


def test_what_was_deleted_stays_deleted_after_a_kill(own_server: ApiServer, endpoint: ModelEndpoint) -> None:
    with own_server.client() as client:
        conversation = client.conversations.create(items=[said("one"), said("two")])
        client.conversations.items.delete(ids(client, conversation.id)[0], conversation_id=conversation.id)

    own_server.kill()
    own_server.start()

    with own_server.client() as client:
        assert texts(client.conversations.items.list(conversation.id)) == ["two"]
        client.responses.create(input="three", conversation=conversation.id)
    assert sent_to_model(endpoint) == ["two", "three"]


def ids(client: OpenAI, conversation_id: str) -> list[str]:
    """Oldest first."""
    items = client.conversations.items.list(conversation_id, order="asc")
    return [str(item.to_dict()["id"]) for item in items]


def sent_to_model(endpoint: ModelEndpoint) -> list[str]:
    """Return the texts of the last request to the model, without the server's prompt."""
    return [message["content"] for message in endpoint.requests()[-1]["messages"][1:]]


def test_a_conversation_whose_session_was_deleted_is_not_found(server: ApiServer, client: OpenAI) -> None:
    response = client.responses.create(input=script(text="one"), conversation="a name to forget")
    assert response.conversation is not None
    sessions = server.send("GET", "/api/sessions", params={"q": "a name to forget"}).json()["sessions"]
    session_id = sessions[0]["session_id"]

    assert server.send("DELETE", "/api/session", params={"session_id": session_id}).json() == {"ok": True}

    for read in (
        lambda: client.conversations.retrieve(response.conversation.id),
        lambda: client.conversations.items.list(response.conversation.id),
        lambda: client.responses.retrieve(response.id),
        lambda: client.responses.create(input="more", conversation="a name to forget"),
    ):
        with pytest.raises(openai.NotFoundError):
            read()
    server.send("POST", "/api/session/restore", json={"session_id": session_id})
    assert client.responses.retrieve(response.id).output_text == "one"
