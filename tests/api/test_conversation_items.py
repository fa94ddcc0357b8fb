"""The items of a conversation, as the official client lists and adds them."""

from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.api.server import ApiServer, ModelEndpoint, script


def said(text: str, role: str = "user") -> Any:
    return {"type": "message", "role": role, "content": text}


def texts(items: Any) -> list[str]:
    """In words what the items hold, whatever they are."""
    told: list[Any] = [item.to_dict() for item in items]
    return [item["content"][0]["text"] if item["type"] == "message" else item["type"] for item in told]


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

    assert [item.type for item in items] == ["message", "function_call", "function_call_output", "message"]


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

    assert server.send("GET", path, "key-of-bob").status_code == 404
    assert server.send("POST", path, "key-of-bob", json={"items": [said("x")]}).status_code == 404


@pytest.mark.parametrize("items", [[], "x", [7], [{"type": "computer_call"}], None])
def test_items_that_cannot_be_understood_are_refused(server: ApiServer, client: OpenAI, items: Any) -> None:
    conversation = client.conversations.create()

    reply = server.send("POST", f"/v1/conversations/{conversation.id}/items", json={"items": items})

    assert reply.status_code == 400


@pytest.mark.xfail(strict=True, reason="items cannot be deleted singly yet")
def test_an_item_can_be_deleted(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation = client.conversations.create(items=[said("one"), said("two"), said("three")])
    ids = [str(item.to_dict()["id"]) for item in client.conversations.items.list(conversation.id, order="asc")]

    client.conversations.items.delete(ids[1], conversation_id=conversation.id)

    assert texts(client.conversations.items.list(conversation.id, order="asc")) == ["one", "three"]
    client.responses.create(input="four", conversation=conversation.id)
    assert [m["content"] for m in endpoint.requests()[-1]["messages"][1:]] == ["one", "three", "four"]
