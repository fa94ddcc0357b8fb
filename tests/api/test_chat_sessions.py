"""Chat completions that continue a session, which they name as hermes-agent's clients do."""

from typing import Any

import httpx2
import openai
import pytest
from openai import OpenAI

from tests.api.server import BOB, ApiServer, ModelEndpoint, script, until, until_spoken

WEATHER: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
SESSION = "x-hermes-session-id"


def chat(server: ApiServer, messages: Any, key: str = "", **more: Any) -> httpx2.Response:
    headers = {"x-hermes-session-key": key} if key else more.pop("headers", {})
    return server.send("POST", "/v1/chat/completions", json={"messages": messages, **more}, headers=headers)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def said_to_model(endpoint: ModelEndpoint) -> list[str]:
    return [message["content"] for message in endpoint.requests()[-1]["messages"][1:]]


def test_a_key_continues_its_session_with_what_is_new(server: ApiServer, endpoint: ModelEndpoint) -> None:
    chat(server, [user(script(text="two"))], "goes on")
    # One client sends the whole conversation, another only what is new: the session is the same.
    chat(server, [user("edited"), answer("edited"), user(script(text="four"))], "goes on")
    chat(server, [user("five")], "goes on")

    assert said_to_model(endpoint) == [script(text="two"), "two", script(text="four"), "four", "five"]


@pytest.mark.parametrize("coding", ["utf-8", "latin-1"])
def test_a_key_is_the_conversation_of_that_name_in_any_language(
    client: OpenAI, server: ApiServer, endpoint: ModelEndpoint, coding: str
) -> None:
    name = f"Grüße in {coding}"
    client.responses.create(input=script(text="two"), conversation=name)

    reply = chat(server, [user("three")], headers={"x-hermes-session-key": name.encode(coding)})

    assert reply.status_code == 200
    assert said_to_model(endpoint) == [script(text="two"), "two", "three"]


def test_a_new_session_takes_the_whole_conversation(server: ApiServer, endpoint: ModelEndpoint) -> None:
    chat(server, [user("one"), answer("two"), user("three")], "begins late")

    assert said_to_model(endpoint) == ["one", "two", "three"]


def test_system_messages_hold_for_their_request(server: ApiServer, endpoint: ModelEndpoint) -> None:
    above = {"role": "system", "content": "Be brief."}
    chat(server, [above, user(script(text="two"))], "brief")
    chat(server, [above, user(script(text="two")), answer("two"), user("three")], "brief")

    sent = endpoint.requests()[-1]["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert sent[0]["content"].count("Be brief.") == 1
    chat(server, [user("four")], "brief")
    assert "Be brief." not in endpoint.requests()[-1]["messages"][0]["content"]


def test_every_answer_names_its_session_and_an_id_continues_it(server: ApiServer, endpoint: ModelEndpoint) -> None:
    first = chat(server, [user("one")])
    named = {SESSION: first.headers[SESSION]}
    streamed = chat(server, [user("two")], headers=named, stream=True)
    failed = chat(server, [user(script(status=401))], headers=named)
    last = chat(server, [user("three")], headers=named)

    assert [reply.headers[SESSION] for reply in (streamed, failed, last)] == [first.headers[SESSION]] * 3
    assert (streamed.status_code, failed.status_code, last.status_code) == (200, 502, 200)
    assert [words for words in said_to_model(endpoint) if not words.startswith("token")] == ["one", "two", "three"]


def test_a_key_is_the_name_of_a_conversation(server: ApiServer, client: OpenAI, endpoint: ModelEndpoint) -> None:
    chat(server, [user("by chat")], "one name")
    reply = server.send("POST", "/v1/runs", json={"input": "by run"}, headers={"x-hermes-session-key": "one name"})
    path = f"/v1/runs/{reply.json()['run_id']}"
    until(lambda: server.send("GET", path).json()["status"] == "completed")
    made = client.responses.create(input="by response", conversation="one name")

    said = [words for words in said_to_model(endpoint) if words.startswith("by ")]
    assert said == ["by chat", "by run", "by response"]
    assert made.conversation is not None
    assert len(client.conversations.items.list(made.conversation.id).data) == 6


def test_the_clients_tools_are_answered_in_a_session(server: ApiServer, endpoint: ModelEndpoint) -> None:
    asked = user(script(calls=[{"name": "weather", "id": f"call_{n}", "arguments": {}} for n in (1, 2)]))
    called = chat(server, [asked], "with tools", tools=[WEATHER]).json()["choices"][0]["message"]
    results = [{"role": "tool", "tool_call_id": f"call_{n}", "content": f"rain {n}"} for n in (1, 2)]

    chat(server, [asked, called, *results], "with tools", tools=[WEATHER])

    sent = endpoint.requests()[-1]["messages"][1:]
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "tool"]
    assert [message["content"] for message in sent[2:]] == ["rain 1", "rain 2"]


def test_calls_that_a_client_brings_along_are_items_each(server: ApiServer, client: OpenAI) -> None:
    calls = [{"id": f"call_{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}} for n in (1, 2)]
    results = [{"role": "tool", "tool_call_id": f"call_{n}", "content": "x"} for n in (1, 2)]
    asked = [user("one"), answer("let me see") | {"tool_calls": calls}, *results]
    chat(server, asked, "brought along")

    made = client.responses.create(input="And?", conversation="brought along")

    assert made.conversation is not None
    items = client.conversations.items.list(made.conversation.id, order="asc")
    call, output = "function_call", "function_call_output"
    assert [item.type for item in items][:6] == ["message", "message", call, call, output, output]


def test_nothing_new_is_refused(server: ApiServer) -> None:
    chat(server, [user("one")], "nothing new")

    reply = chat(server, [user("one"), answer("two")], "nothing new")

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "messages")


def test_a_session_takes_one_at_a_time_and_is_free_when_its_client_leaves(
    server: ApiServer, endpoint: ModelEndpoint
) -> None:
    headers = {"x-hermes-session-key": "busy"}
    with server.client(default_headers=headers) as client:
        asked: Any = {"model": "wakeful", "messages": [user(script(hang_after=1))]}
        stream = client.chat.completions.create(**asked, stream=True)
        until_spoken(stream)
        with pytest.raises(openai.ConflictError):
            client.chat.completions.create(model="wakeful", messages=[{"role": "user", "content": "two"}])
        with endpoint.seeing(dropped=1):
            stream.close()
    until(lambda: chat(server, [user("three")], "busy").status_code == 200)

    assert said_to_model(endpoint) == ["three"]


def test_a_session_of_another_key_is_not_found(server: ApiServer) -> None:
    named = {SESSION: chat(server, [user("one")]).headers[SESSION]}
    body = {"messages": [user("two")]}

    reply = server.send("POST", "/v1/chat/completions", BOB, json=body, headers=named)

    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "session_not_found")
    hers = server.send("POST", "/v1/chat/completions", json=body, headers={"x-hermes-session-key": "a key"})
    his = server.send("POST", "/v1/chat/completions", BOB, json=body, headers={"x-hermes-session-key": "a key"})
    assert hers.headers[SESSION] != his.headers[SESSION]


@pytest.mark.parametrize("name", [SESSION, "x-hermes-session-key"])
def test_a_name_of_a_session_has_a_length(server: ApiServer, name: str) -> None:
    reply = chat(server, [user("one")], headers={name: "k" * 257})

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, name)
    assert chat(server, [user("one")], headers={name: "k" * 256}).status_code == (404 if name == SESSION else 200)


def page_session(server: ApiServer, words: str, **fields: str) -> str:
    """Return a session of the page whose first turn has ended."""
    session_id: str = server.send("POST", "/api/session/new", json=fields).json()["session_id"]
    server.send("POST", "/api/chat/start", json={"session_id": session_id, "message": words})
    until(lambda: shown(server, session_id)["active"] is None)
    return session_id


def shown(server: ApiServer, session_id: str) -> dict[str, Any]:
    snapshot: dict[str, Any] = server.send("GET", f"/api/session?session_id={session_id}").json()
    return snapshot


def test_a_session_of_the_page_goes_on_over_the_api(server: ApiServer, endpoint: ModelEndpoint) -> None:
    session_id = page_session(server, script(text="two"), model="openai:listed")

    reply = chat(server, [user(script(text="four"))], headers={SESSION: session_id})

    assert (reply.status_code, reply.headers[SESSION]) == (200, session_id)
    assert said_to_model(endpoint) == [script(text="two"), "two", script(text="four")]
    assert endpoint.requests()[-1]["model"] == "listed"
    assert [message["content"] for message in shown(server, session_id)["messages"]] == [
        script(text="two"),
        "two",
        script(text="four"),
        "four",
    ]


def test_a_turn_of_the_page_that_failed_stays_there_when_the_api_goes_on(server: ApiServer) -> None:
    session_id = page_session(server, script(status=400))

    chat(server, [user("and now?")], headers={SESSION: session_id}, model="scripted")

    said = [message["content"] for message in shown(server, session_id)["messages"] if message["role"] == "user"]
    assert said == [script(status=400), "and now?"]


def test_a_run_goes_on_in_a_session_of_the_page(server: ApiServer, endpoint: ModelEndpoint) -> None:
    session_id = page_session(server, script(text="two"))

    reply = server.send("POST", "/v1/runs", json={"input": "three"}, headers={SESSION: session_id})

    assert reply.status_code == 202
    until(lambda: len(shown(server, session_id)["messages"]) == 4)
    assert said_to_model(endpoint) == [script(text="two"), "two", "three"]


def test_a_session_of_the_page_is_its_owners_and_takes_one_turn_at_a_time(server: ApiServer) -> None:
    session_id = page_session(server, "one")
    stranger = server.send(
        "POST", "/v1/chat/completions", key=BOB, json={"messages": [user("mine?")]}, headers={SESSION: session_id}
    )
    server.send("POST", "/api/chat/start", json={"session_id": session_id, "message": script(hang=True)})

    reply = chat(server, [user("now?")], headers={SESSION: session_id})

    server.send("POST", "/api/chat/cancel", json={"session_id": session_id})
    assert (stranger.status_code, stranger.json()["error"]["code"]) == (404, "session_not_found")
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "conversation_response_not_completed")
    assert "is running" in reply.json()["error"]["message"]
