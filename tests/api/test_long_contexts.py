"""Turns of the API in a small window: the server sums up what it keeps, and tells a client that keeps it itself."""

from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.api.server import ApiServer, ModelEndpoint, script, until

WINDOW = 10_500
# A model that no other test uses: what the endpoint says about its window is remembered.
MODEL = "openai:listed"
# A question and an answer that take 2,000 tokens together.
ANSWER = "y" * 4_000
LONG = script(window=WINDOW, text=ANSWER)
TURNS = 6
TOO_LONG: Any = [{"role": "user", "content": "x" * 30_000}, {"role": "user", "content": LONG}]


def test_a_conversation_is_summed_up_and_stays_whole_for_its_client(client: OpenAI, endpoint: ModelEndpoint) -> None:
    conversation = client.conversations.create()
    made = [client.responses.create(model=MODEL, input=LONG, conversation=conversation.id) for _ in range(TURNS)]

    assert [response.status for response in made] == ["completed"] * TURNS
    assert all(response.output_text == ANSWER for response in made)
    items = list(client.conversations.items.list(conversation.id, order="asc"))
    assert len(items) == 2 * TURNS
    assert all(item.type == "message" and item.role in ("user", "assistant") for item in items)
    again = client.responses.retrieve(made[-1].id)
    assert [item.type for item in again.output] == ["message"]
    # The model has read a summary.
    assert "A summary of the conversation so far" in str(endpoint.requests()[-1]["messages"])


def test_a_deleted_item_takes_its_summary_with_it(client: OpenAI, endpoint: ModelEndpoint) -> None:
    secret: Any = [{"role": "user", "content": "the word is albatross"}, {"role": "user", "content": LONG}]
    conversation = client.conversations.create().id
    for asked in (LONG, LONG, secret, LONG):
        client.responses.create(model=MODEL, input=asked, conversation=conversation)
    # The summary, which is the first message, repeats it.
    assert "albatross" in str(endpoint.requests()[-1]["messages"][1])

    items = client.conversations.items.list(conversation, order="asc")
    [doomed] = [item.id for item in items if "albatross" in item.to_json()]
    assert doomed is not None
    client.conversations.items.delete(doomed, conversation_id=conversation)
    before = len(endpoint.requests())
    made = client.responses.create(model=MODEL, input=LONG, conversation=conversation)

    assert (made.status, made.output_text) == ("completed", ANSWER)
    assert all("albatross" not in str(request) for request in endpoint.requests()[before:])
    assert "A summary of the conversation so far" in str(endpoint.requests()[-1]["messages"])


@pytest.mark.parametrize("is_stored", [True, False])
def test_a_response_is_summed_up_if_its_client_wants_that(client: OpenAI, is_stored: bool) -> None:
    previous: str | None = None
    for _ in range(2):
        previous = client.responses.create(model=MODEL, input=LONG, previous_response_id=previous).id

    made = [
        client.responses.create(
            model=MODEL, input=TOO_LONG, previous_response_id=previous, store=is_stored, truncation=truncation
        )
        for truncation in ("disabled", "auto")
    ]
    codes = [response.error.code if response.error else None for response in made]
    assert list(zip([response.status for response in made], codes, strict=True)) == [
        ("failed", "context_length_exceeded"),
        ("completed", None),
    ]
    assert made[1].output_text == ANSWER


def test_a_client_that_sends_the_whole_conversation_is_told_that_it_is_too_long(client: OpenAI) -> None:
    made = client.responses.create(model=MODEL, input=TOO_LONG)
    assert (made.status, made.error.code if made.error else None) == ("failed", "context_length_exceeded")
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model=MODEL, messages=TOO_LONG)
    assert refused.value.code == "context_length_exceeded"


def test_a_chat_in_a_session_is_summed_up(client: OpenAI) -> None:
    for _ in range(TURNS):
        answer = client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "user", "content": LONG}],
            extra_headers={"x-hermes-session-key": "a long chat"},
        )
        assert answer.choices[0].message.content == ANSWER


def test_a_run_is_summed_up(server: ApiServer) -> None:
    for _ in range(TURNS):
        run = finished_run(server)
        assert (run["status"], run["output"]) == ("completed", ANSWER)


def finished_run(server: ApiServer) -> dict[str, Any]:
    headers = {"x-hermes-session-key": "a long run"}
    begun = server.send("POST", "/v1/runs", json={"input": LONG, "model": MODEL}, headers=headers).json()
    path = f"/v1/runs/{begun['run_id']}"
    until(lambda: server.send("GET", path).json()["status"] != "running")
    run: dict[str, Any] = server.send("GET", path).json()
    return run


def test_a_call_that_was_summed_up_is_still_known(client: OpenAI) -> None:
    look: Any = {"type": "function", "name": "look", "parameters": {"type": "object"}}
    conversation = client.conversations.create().id
    calling = script(window=WINDOW, calls=[{"name": "look", "arguments": {}, "id": "call_old"}])
    client.responses.create(model=MODEL, input=calling, tools=[look], conversation=conversation)
    answered: Any = [
        {"type": "function_call_output", "call_id": "call_old", "output": "seen"},
        {"role": "user", "content": LONG},
    ]

    for _ in range(TURNS):
        made = client.responses.create(model=MODEL, input=answered, tools=[look], conversation=conversation)
        assert made.status == "completed"
    answered[0]["call_id"] = "call_else"
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(model=MODEL, input=answered, tools=[look], conversation=conversation)
    assert refused.value.code == "call_not_found"
