"""Idempotency-Key: the same request again is the same response, whatever has happened to it meanwhile."""

import asyncio
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import openai
import orjson
import pytest
from openai import OpenAI

from tests.api.conftest import scripted
from tests.api.server import ALICE, BOB, ApiServer, ModelEndpoint, running_server, script, until

_numbers = count()
OTHER_KEY = {"Idempotency-Key": "of a response that runs on"}


@pytest.fixture
def key() -> dict[str, str]:
    """Headers with a new key."""
    return {"Idempotency-Key": f"key {next(_numbers)}"}


def model_calls(endpoint: ModelEndpoint) -> int:
    return endpoint.stats()["requests"]


def test_a_finished_response_is_given_again_without_a_model(
    client: OpenAI, endpoint: ModelEndpoint, key: dict[str, str]
) -> None:
    first = client.responses.create(input="Hello", extra_headers=key)
    before = model_calls(endpoint)

    assert client.responses.create(input="Hello", extra_headers=key) == first
    assert model_calls(endpoint) == before


def test_a_finished_stream_is_played_again(client: OpenAI, key: dict[str, str]) -> None:
    first = list(client.responses.create(input="Hello", stream=True, extra_headers=key))

    assert list(client.responses.create(input="Hello", stream=True, extra_headers=key)) == first


def test_a_client_that_joins_a_stream_gets_it_from_the_beginning_with_a_snapshot(
    client: OpenAI, endpoint: ModelEndpoint, key: dict[str, str]
) -> None:
    before = model_calls(endpoint)
    words = script(tokens=20, rate=40)
    first = client.responses.create(input=words, stream=True, extra_headers=key)
    seen = [next(first) for _ in range(6)]

    joined: list[Any] = list(client.responses.create(input=words, stream=True, extra_headers=key))

    whole = [*seen, *first]
    snapshots = [number for number, event in enumerate(joined) if event.type == "response.snapshot"]
    assert len(snapshots) == 1
    snapshot = joined.pop(snapshots[0])
    assert [(event.type, event.sequence_number) for event in joined] == [
        (event.type, event.sequence_number) for event in whole
    ]
    assert snapshot.sequence_number == joined[snapshots[0] - 1].sequence_number
    said = "".join(e.delta for e in joined[: snapshots[0]] if e.type == "response.output_text.delta")
    assert snapshot.response["output"][0]["content"][0]["text"] == said
    assert snapshot.response["status"] == "in_progress"
    assert model_calls(endpoint) == before + 1


def test_the_stream_helper_may_join(client: OpenAI, key: dict[str, str]) -> None:
    words = script(tokens=20, rate=40)
    # The helper sends stream as a part of the body, like this.
    first = client.responses.create(model="wakeful", input=words, stream=True, extra_headers=key)
    next(first)

    with client.responses.stream(model="wakeful", input=words, extra_headers=key) as stream:
        final = stream.get_final_response()

    assert final.output_text.endswith("token19 ")
    first.close()


def test_a_snapshot_is_no_part_of_the_log(client: OpenAI, key: dict[str, str]) -> None:
    words = script(tokens=10, rate=40)
    first = client.responses.create(input=words, stream=True, extra_headers=key)
    opened: Any = next(first)
    list(client.responses.create(input=words, stream=True, extra_headers=key))

    later: list[str] = [event.type for event in client.responses.retrieve(opened.response.id, stream=True)]

    assert "response.snapshot" not in later
    first.close()


def test_a_repeated_request_waits_for_the_same_answer(
    server: ApiServer, client: OpenAI, endpoint: ModelEndpoint, key: dict[str, str]
) -> None:
    before = model_calls(endpoint)
    words = script(tokens=20, rate=25)
    with server.client(timeout=0.3) as impatient, pytest.raises(openai.APITimeoutError):
        impatient.responses.create(input=words, extra_headers=key)

    made = client.responses.create(input=words, extra_headers=key)

    assert (made.status, model_calls(endpoint)) == ("completed", before + 1)
    assert made.output_text.endswith("token19 ")


def test_a_background_response_that_runs_is_given_as_it_stands(client: OpenAI, key: dict[str, str]) -> None:
    words = script(hang_after=1)
    first = client.responses.create(input=words, background=True, extra_headers=key)
    until(lambda: client.responses.retrieve(first.id).output_text != "")

    again = client.responses.create(input=words, background=True, extra_headers=key)

    assert (again.id, again.status, again.output_text) == (first.id, "in_progress", "token0 ")
    client.responses.cancel(first.id)


@pytest.mark.parametrize("words", ["Hello", script(hang_after=1)])
def test_another_body_under_the_same_key_is_a_conflict(
    server: ApiServer, client: OpenAI, key: dict[str, str], words: str
) -> None:
    made = client.responses.create(input=words, background=True, extra_headers=key)

    reply = server.send("POST", "/v1/responses", json={"input": "other"}, headers=key)

    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "idempotency_key_conflict")
    assert reply.headers["x-should-retry"] == "false"
    client.responses.cancel(made.id)


def test_the_order_of_the_fields_and_the_spaces_do_not_matter(server: ApiServer, key: dict[str, str]) -> None:
    bodies = (b'{"input": "x", "metadata": {"a": "1", "b": "2"}}', b'{"metadata":{"b":"2","a":"1"},"input":"x"}')

    first, second = (server.send("POST", "/v1/responses", content=body, headers=key) for body in bodies)

    assert first.json() == second.json()


def test_whether_it_streams_is_a_part_of_the_body(server: ApiServer, key: dict[str, str]) -> None:
    server.send("POST", "/v1/responses", json={"input": "x"}, headers=key)

    assert server.send("POST", "/v1/responses", json={"input": "x", "stream": True}, headers=key).status_code == 409


def test_the_key_of_another_client_is_another_key(server: ApiServer, key: dict[str, str]) -> None:
    with server.client(ALICE) as alice, server.client(BOB) as bob:
        hers = alice.responses.create(input="Hello", extra_headers=key)
        his = bob.responses.create(input="Hi", extra_headers=key)

    assert hers.id != his.id


def test_a_refused_request_does_not_use_up_its_key(client: OpenAI, key: dict[str, str]) -> None:
    running = client.responses.create(input=script(hang_after=1), background=True, conversation="used")
    for bad in ({"input": "x", "temperature": 9}, {"input": "x", "conversation": "used"}):
        with pytest.raises((openai.BadRequestError, openai.ConflictError)):
            client.responses.create(**bad, extra_headers=key)
    client.responses.cancel(running.id)

    assert client.responses.create(input="x", conversation="used", extra_headers=key).status == "completed"


def test_a_retry_in_a_busy_conversation_joins_what_runs_there(client: OpenAI, key: dict[str, str]) -> None:
    asked: Any = {"input": script(hang_after=1), "background": True, "conversation": "retried", "extra_headers": key}
    first = client.responses.create(**asked)

    assert client.responses.create(**asked).id == first.id
    client.responses.cancel(first.id)


def test_a_retry_after_the_previous_response_was_deleted_is_still_the_same(client: OpenAI, key: dict[str, str]) -> None:
    root = client.responses.create(input="root")
    first = client.responses.create(input="on", previous_response_id=root.id, extra_headers=key)
    client.responses.delete(root.id)

    assert client.responses.create(input="on", previous_response_id=root.id, extra_headers=key) == first


def test_the_key_of_a_deleted_response_leads_nowhere(client: OpenAI, key: dict[str, str]) -> None:
    made = client.responses.create(input="Hello", extra_headers=key)
    client.responses.delete(made.id)

    with pytest.raises(openai.NotFoundError):
        client.responses.create(input="Hello", extra_headers=key)


def test_a_key_needs_a_stored_response(client: OpenAI, key: dict[str, str]) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(input="Hello", store=False, extra_headers=key)
    assert refused.value.code == "idempotency_requires_store"


def test_a_key_that_is_too_long_is_refused(client: OpenAI) -> None:
    with pytest.raises(openai.BadRequestError):
        client.responses.create(input="Hello", extra_headers={"Idempotency-Key": "k" * 256})


async def test_many_posts_with_one_key_at_once_make_one_run(
    server: ApiServer, endpoint: ModelEndpoint, key: dict[str, str]
) -> None:
    before = model_calls(endpoint)
    headers = {"authorization": f"Bearer {ALICE}", **key}
    body = {"input": script(tokens=5, rate=20)}
    limits = httpx2.Limits(max_connections=50)

    async with httpx2.AsyncClient(base_url=server.root, headers=headers, trust_env=False, limits=limits) as http:
        replies = await asyncio.gather(*(http.post("/v1/responses", json=body, timeout=20) for _ in range(50)))

    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert model_calls(endpoint) == before + 1


async def test_requests_that_join_do_not_count_and_others_do(tmp_path: Path, endpoint: ModelEndpoint) -> None:
    settings = scripted(endpoint) | {"WAKEFUL_API_CONCURRENCY": "2"}
    with running_server(tmp_path / "home", **settings) as server:
        headers = {"authorization": f"Bearer {ALICE}"}
        body = {"input": script(tokens=3, hang_after=1), "stream": True}
        async with httpx2.AsyncClient(base_url=server.root, headers=headers, trust_env=False, timeout=20) as http:
            joined = await asyncio.gather(*(open_stream(http, body, "one") for _ in range(6)))
            other = await open_stream(http, body | {"metadata": {}}, "two")
            refused = await open_stream(http, body, "three")
            assert [stream.status_code for stream in joined] == [200] * 6
            assert (other.status_code, refused.status_code, refused.headers["retry-after"]) == (200, 429, "1")
            assert orjson.loads(await refused.aread())["error"]["type"] == "rate_limit_error"
            await other.aclose()
            # The refused request has not used up its key.
            again = await open_stream(http, body | {"metadata": {"a": "b"}}, "three")
            assert again.status_code == 200
            for stream in (*joined, again):
                await stream.aclose()


async def open_stream(http: httpx2.AsyncClient, body: Any, key: str) -> httpx2.Response:
    request = http.build_request("POST", "/v1/responses", json=body, headers={"idempotency-key": key})
    return await http.send(request, stream=True)


def test_a_key_is_new_again_a_day_after_its_response_has_ended(own_server: ApiServer, key: dict[str, str]) -> None:
    with own_server.client() as client:
        old = client.responses.create(input="Hello", extra_headers=key)
        running = client.responses.create(input=script(hang=True), background=True, extra_headers=OTHER_KEY)
    own_server.kill()
    make_older(own_server.home, 25 * 3600)

    own_server.start()

    with own_server.client() as client:
        until(lambda: keys_in(own_server.home) == [OTHER_KEY["Idempotency-Key"]])
        again = client.responses.create(input="Hello", extra_headers=key)
        joined = client.responses.create(input=script(hang=True), background=True, extra_headers=OTHER_KEY)
        assert (again.id == old.id, joined.id) == (False, running.id)
        assert client.responses.retrieve(old.id).output == old.output


def make_older(home: Path, seconds: int) -> None:
    with closing(sqlite3.connect(home / "wakeful.db")) as connection, connection:
        connection.execute("UPDATE idempotency_keys SET created_at = created_at - ?", (seconds,))
        connection.execute("UPDATE turns SET closed_at = closed_at - ?", (seconds,))


def keys_in(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "wakeful.db")) as connection:
        return [row[0] for row in connection.execute("SELECT key FROM idempotency_keys")]
