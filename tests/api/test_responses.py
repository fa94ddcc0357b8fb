"""Responses, as the official client makes, reads, follows, cancels and deletes them."""

from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from openai.types.responses import Response

from tests.api.server import ApiServer, ModelEndpoint, script, until

THREE = "token0 token1 token2 "


def test_a_response_is_made_and_found_again(client: OpenAI) -> None:
    made = client.responses.create(model="wakeful", input="Hello", metadata={"a": "b"}, temperature=0.5)

    assert (made.status, made.output_text, made.error) == ("completed", THREE, None)
    assert made.usage is not None
    assert (made.usage.input_tokens, made.usage.output_tokens, made.usage.total_tokens) == (7, 3, 10)
    assert (made.metadata, made.temperature) == ({"a": "b"}, 0.5)
    assert client.responses.retrieve(made.id) == made


def test_the_object_has_every_key(server: ApiServer) -> None:
    made = server.send("POST", "/v1/responses", json={"input": "Hello"}).json()

    required = {name for name, field in Response.model_fields.items() if field.is_required()}
    assert required <= set(made)
    assert (made["store"], made["background"], made["previous_response_id"], made["tools"]) == (True, False, None, [])


async def test_the_async_client_makes_one_too(async_client: AsyncOpenAI) -> None:
    made = await async_client.responses.create(model="wakeful", input="Hello")
    streamed = [event async for event in await async_client.responses.create(input="Hello", stream=True)]

    assert made.output_text == THREE
    assert (streamed[0].type, streamed[-1].type) == ("response.created", "response.completed")


def test_a_stream_is_numbered_from_nought_without_a_gap(client: OpenAI) -> None:
    events = list(client.responses.create(input="Hello", stream=True))

    assert [event.sequence_number for event in events] == list(range(len(events)))
    types = [event.type for event in events]
    assert types[:4] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
    ]
    assert types[-4:] == [
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == THREE


def test_the_stream_helper_of_the_client_follows_a_stream(client: OpenAI) -> None:
    with client.responses.stream(model="wakeful", input=script(tokens=5, rate=50)) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        final = stream.get_final_response()

    assert text == final.output_text == "token0 token1 token2 token3 token4 "
    assert final.status == "completed"


async def test_the_async_stream_helper_follows_a_stream(async_client: AsyncOpenAI) -> None:
    async with async_client.responses.stream(model="wakeful", input="Hello") as stream:
        final = await stream.get_final_response()

    assert final.output_text == THREE


def test_the_stream_helper_takes_up_a_response_again(client: OpenAI) -> None:
    made = client.responses.create(input="Hello")

    with client.responses.stream(response_id=made.id, starting_after=2) as stream:
        numbers = [event.sequence_number for event in stream]

    assert numbers[0] == 3


@pytest.mark.parametrize("words", ["Hello", script(tokens=4, reasoning_tokens=2), script(text="one")])
def test_a_stream_taken_up_anywhere_gives_exactly_the_rest(client: OpenAI, words: str) -> None:
    whole = list(client.responses.create(input=words, stream=True))
    response_id = created_id(whole)

    for cut in range(len(whole)):
        rest = list(client.responses.retrieve(response_id, stream=True, starting_after=cut))
        assert rest == whole[cut + 1 :]
    assert list(client.responses.retrieve(response_id, stream=True)) == whole


def test_a_client_that_leaves_may_come_back_while_it_runs(client: OpenAI) -> None:
    stream = client.responses.create(input=script(tokens=20, rate=40), stream=True)
    seen = [next(stream) for _ in range(6)]
    stream.close()
    response_id = created_id(seen)

    running = client.responses.retrieve(response_id)
    rest = list(client.responses.retrieve(response_id, stream=True, starting_after=seen[-1].sequence_number))

    assert (running.status, running.usage) == ("in_progress", None)
    assert running.output_text.startswith("token0 ")
    assert [event.sequence_number for event in [*seen, *rest]] == list(range(len(seen) + len(rest)))
    text = "".join(event.delta for event in [*seen, *rest] if event.type == "response.output_text.delta")
    assert text == client.responses.retrieve(response_id).output_text


@pytest.mark.parametrize("cursor", ["-1", "x", "1.5", "9" * 30, " 1", "\u0661"])
def test_a_cursor_that_is_no_number_is_refused(client: OpenAI, server: ApiServer, cursor: str) -> None:
    made = client.responses.create(input="Hello")

    reply = server.send("GET", f"/v1/responses/{made.id}", params={"stream": "true", "starting_after": cursor})

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "starting_after")


def test_a_background_response_returns_at_once_and_is_polled(client: OpenAI) -> None:
    made = client.responses.create(input=script(tokens=10, rate=40), background=True)
    assert made.status in ("queued", "in_progress")
    assert made.background

    until(lambda: client.responses.retrieve(made.id).status == "completed")

    assert client.responses.retrieve(made.id).output_text.endswith("token9 ")


def test_a_background_stream_says_that_it_was_queued(client: OpenAI) -> None:
    types = [event.type for event in client.responses.create(input="Hello", background=True, stream=True)]

    assert types[:3] == ["response.created", "response.queued", "response.in_progress"]
    assert types[-1] == "response.completed"


def test_cancelling_stops_the_model(client: OpenAI, endpoint: ModelEndpoint) -> None:
    made = client.responses.create(input=script(tokens=9, hang_after=2), background=True)
    until(lambda: client.responses.retrieve(made.id).output_text != "")

    with endpoint.seeing(dropped=1):
        cancelled = client.responses.cancel(made.id)

    assert (cancelled.status, cancelled.output_text) == ("cancelled", "token0 token1 ")
    assert client.responses.cancel(made.id) == cancelled
    assert client.responses.retrieve(made.id).output[0].to_dict()["status"] == "incomplete"


def test_a_cancelled_stream_ends_with_the_event_that_says_so(client: OpenAI) -> None:
    stream = client.responses.create(input=script(tokens=9, hang_after=2), stream=True)
    first = next(stream)
    client.responses.cancel(created_id([first]))

    types: list[str] = [event.type for event in stream]
    assert types[-1] == "response.cancelled"


def test_cancelling_what_has_ended_leaves_it_as_it_is(client: OpenAI) -> None:
    made = client.responses.create(input="Hello")

    assert client.responses.cancel(made.id) == made


def test_a_deleted_response_is_gone(client: OpenAI) -> None:
    made = client.responses.create(input="Hello")

    client.responses.delete(made.id)

    for gone in (client.responses.retrieve, client.responses.cancel, client.responses.delete):
        with pytest.raises(openai.NotFoundError):
            gone(made.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.input_items.list(made.id)


def test_deleting_a_response_that_runs_stops_the_model(client: OpenAI, endpoint: ModelEndpoint) -> None:
    with endpoint.seeing(requests=1):
        made = client.responses.create(input=script(hang_after=1), background=True)

    with endpoint.seeing(dropped=1):
        client.responses.delete(made.id)

    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(made.id)


def test_the_input_of_a_response_is_listed_newest_first(client: OpenAI) -> None:
    words: Any = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    made = client.responses.create(input=words)

    newest_first: list[Any] = [item.to_dict() for item in client.responses.input_items.list(made.id)]
    oldest_first: list[Any] = [item.to_dict() for item in client.responses.input_items.list(made.id, order="asc")]

    assert [item["role"] for item in newest_first] == ["user", "developer"]
    assert oldest_first == newest_first[::-1]
    assert oldest_first[1]["content"] == [{"type": "input_text", "text": "Hello"}]


def test_the_input_of_a_response_is_listed_page_by_page(client: OpenAI) -> None:
    words: Any = [{"role": "user", "content": f"word {number}"} for number in range(5)]
    made = client.responses.create(input=words)

    page: Any = client.responses.input_items.list(made.id, order="asc", limit=2)

    assert (len(page.data), page.has_more) == (2, True)
    assert [item.to_dict()["content"][0]["text"] for item in page] == [f"word {number}" for number in range(5)]


def test_the_model_reads_instructions_options_and_words_of_every_role(client: OpenAI, endpoint: ModelEndpoint) -> None:
    words: Any = [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "input_text", "text": "one "}, {"type": "input_text", "text": "two"}]},
        {"role": "assistant", "content": "three"},
        {"role": "user", "content": "four"},
    ]
    client.responses.create(input=words, instructions="Be brief.", temperature=0.25, max_output_tokens=77)

    asked = endpoint.requests()[-1]
    assert asked["messages"][0]["content"].endswith("Be brief.")
    assert [m["content"] for m in asked["messages"][1:]] == ["Be kind.", "one two", "three", "four"]
    assert (asked["temperature"], asked["max_tokens"]) == (0.25, 77)


def test_an_answer_that_reaches_the_output_limit_is_incomplete(client: OpenAI) -> None:
    made = client.responses.create(input=script(finish_reason="length"))
    events = list(client.responses.retrieve(made.id, stream=True))

    assert made.status == "incomplete"
    assert made.incomplete_details is not None
    assert made.incomplete_details.reason == "max_output_tokens"
    assert made.output[0].to_dict()["status"] == "incomplete"
    assert events[-1].type == "response.incomplete"


def test_a_model_that_fails_makes_a_failed_response(client: OpenAI) -> None:
    made = client.responses.create(input=script(status=401))

    assert made.status == "failed"
    assert made.error is not None
    assert made.error.code == "server_error"
    events = list(client.responses.retrieve(made.id, stream=True))
    assert [event.type for event in events][-2:] == ["error", "response.failed"]


def test_an_answer_that_broke_off_is_asked_for_again_and_not_shown_twice(client: OpenAI) -> None:
    words = script(tokens=3, status=503, failures=1)
    with client.responses.stream(model="wakeful", input=words) as stream:
        final = stream.get_final_response()

    assert (final.status, final.output_text) == ("completed", THREE)


def created_id(events: list[Any]) -> str:
    response_id: str = events[0].response.id
    return response_id


@pytest.mark.parametrize("truncation", ["auto", "disabled"])
def test_a_conversation_that_is_too_long_is_a_failed_response_with_the_word_for_it(
    client: OpenAI, truncation: Any
) -> None:
    too_long = script(status=400, error={"message": "too long", "code": "context_length_exceeded"})

    made = client.responses.create(input=too_long, truncation=truncation)

    assert (made.status, made.error.code if made.error else None) == ("failed", "context_length_exceeded")
