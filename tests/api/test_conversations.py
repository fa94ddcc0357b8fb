"""Conversations: which responses they show, their names, and what a failed request leaves behind."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import openai
import pytest
from openai import OpenAI

from tests.api.server import BOB, ApiServer, script


def ids_of(server: ApiServer, conversation: str) -> tuple[str | None, str | None]:
    """Return the response that completed last, and the running one."""
    found = server.send("GET", f"/v1/conversations/{quote(conversation, safe='')}").json()
    return found["latest_completed_response_id"], found["active_response_id"]


def sessions_named(server: ApiServer, title: str) -> list[Any]:
    return [row for row in server.send("GET", "/api/sessions").json()["sessions"] if row["title"] == title]


def test_a_conversation_shows_which_response_is_running_and_which_completed_last(
    client: OpenAI, server: ApiServer
) -> None:
    made = client.conversations.create(items=[{"role": "user", "type": "message", "content": "before"}]).id
    assert ids_of(server, made) == (None, None)

    first = client.responses.create(input="one", conversation=made).id
    client.conversations.items.create(made, items=[{"role": "user", "type": "message", "content": "between"}])
    assert ids_of(server, made) == (first, None)

    second = client.responses.create(input=script(hang=True), conversation=made, background=True).id
    assert ids_of(server, made) == (first, second)

    client.responses.cancel(second)
    assert ids_of(server, made) == (first, None)


def test_a_deleted_response_is_not_named(client: OpenAI, server: ApiServer) -> None:
    made = client.conversations.create().id
    first, second = (client.responses.create(input=words, conversation=made).id for words in ("one", "two"))

    client.responses.delete(second)

    assert ids_of(server, made) == (first, None)


@pytest.mark.parametrize("store", [True, False])
def test_a_refusal_of_a_busy_conversation_names_what_it_waits_for(client: OpenAI, store: bool) -> None:
    made = client.conversations.create().id
    first = client.responses.create(input="one", conversation=made).id
    active = client.responses.create(input=script(hang=True), conversation=made, background=True).id
    try:
        with pytest.raises(openai.ConflictError) as response:
            client.responses.create(input="two", conversation=made, store=store)
        with pytest.raises(openai.ConflictError) as items:
            client.conversations.items.create(made, items=[{"role": "user", "type": "message", "content": "x"}])
    finally:
        client.responses.cancel(active)

    for refused in (response.value, items.value):
        error: Any = refused.body
        assert error["code"] == "conversation_response_not_completed"
        assert (error["latest_completed_response_id"], error["active_response_id"]) == (first, active)


@pytest.mark.parametrize("name", ["release notes", "Über/alles?x=1#y", "100%", "/a//b/", "a/items/b", "a%2Fb"])
def test_a_conversation_is_found_by_its_name(client: OpenAI, server: ApiServer, name: str) -> None:
    response = client.responses.create(input="one", conversation=name)

    found = server.send("GET", f"/v1/conversations/{quote(name, safe='')}")
    of_another_key = server.send("GET", f"/v1/conversations/{quote(name, safe='')}", key=BOB)

    assert response.conversation is not None
    assert found.json()["id"] == response.conversation.id
    assert found.json()["latest_completed_response_id"] == response.id
    assert (of_another_key.status_code, of_another_key.json()["error"]["code"]) == (404, "conversation_not_found")


@pytest.mark.parametrize("name", ["nobody", "conv_nobody", "%00", "a%2Fb%2Fc"])
def test_an_unused_name_is_not_found_and_not_made(server: ApiServer, name: str) -> None:
    for _ in range(2):
        reply = server.send("GET", f"/v1/conversations/{name}")

        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "conversation_not_found")


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        ("responses", {"input": "x", "model": "nobody:nothing"}, {}),
        ("responses", {"input": [{"type": "function_call_output", "call_id": "no", "output": "x"}]}, {}),
        ("responses", {"input": [{"type": "item_reference", "id": "msg_nobody"}]}, {}),
        ("chat/completions", {"messages": [{"role": "tool", "tool_call_id": "no", "content": "x"}]}, "key"),
        ("runs", {"input": [{"type": "function_call_output", "call_id": "no", "output": "x"}]}, "key"),
    ],
)
def test_a_request_that_is_refused_leaves_no_name_and_no_session(
    server: ApiServer, path: str, body: dict[str, Any], headers: Any
) -> None:
    name = f"refused {path} {len(str(body))}"
    how = {"X-Hermes-Session-Key": name} if headers else {}

    reply = server.send("POST", f"/v1/{path}", json=body if how else {**body, "conversation": name}, headers=how)

    assert reply.status_code in (400, 404)
    assert server.send("GET", f"/v1/conversations/{quote(name, safe='')}").status_code == 404
    assert sessions_named(server, name) == []


def test_a_response_that_is_not_stored_leaves_no_name_and_no_session(client: OpenAI, server: ApiServer) -> None:
    response = client.responses.create(input="one", conversation="never stored", store=False)

    assert (response.status, response.conversation) == ("completed", None)
    assert server.send("GET", "/v1/conversations/never stored").status_code == 404
    assert sessions_named(server, "never stored") == []


def test_many_requests_that_use_a_new_name_at_once_share_one_conversation(client: OpenAI, server: ApiServer) -> None:
    def ask(number: int) -> str:
        try:
            return client.responses.create(input=str(number), conversation="all at once").status or ""
        except openai.ConflictError:
            return "busy"

    with ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(ask, range(8)))

    assert set(ends) <= {"completed", "busy"}
    assert "completed" in ends
    assert len(sessions_named(server, "all at once")) == 1
