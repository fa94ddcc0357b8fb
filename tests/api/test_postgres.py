"""The same API on PostgreSQL, where many transactions are open at once."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.conftest import scripted
from tests.api.server import ALICE, ApiServer, ModelEndpoint, running_server, script, until, until_spoken

LANE = {"x-hermes-session-key": "a lane"}


@pytest.fixture
def postgres(tmp_path: Path, postgres_url: str, endpoint: ModelEndpoint) -> Iterator[ApiServer]:
    settings = scripted(endpoint) | {"WAKEFUL_DATABASE_URL": postgres_url}
    with running_server(tmp_path / "home", **settings) as server:
        yield server


async def post_at_once(server: ApiServer, body: Any, times: int, **headers: str) -> list[httpx2.Response]:
    headers = {"authorization": f"Bearer {ALICE}", **headers}
    limits = httpx2.Limits(max_connections=times)
    async with httpx2.AsyncClient(base_url=server.root, headers=headers, trust_env=False, limits=limits) as http:
        return await asyncio.gather(*(http.post("/v1/responses", json=body, timeout=20) for _ in range(times)))


async def test_many_at_once_with_one_key_or_in_one_conversation_make_one_run(
    postgres: ApiServer, endpoint: ModelEndpoint
) -> None:
    before = endpoint.stats()["requests"]
    joined = await post_at_once(postgres, {"input": "Hello"}, 50, **{"idempotency-key": "one"})
    slow = {"input": script(tokens=9, rate=20), "conversation": "a new name"}
    refused = await post_at_once(postgres, slow, 10)

    assert {reply.status_code for reply in joined} == {200}
    assert len({reply.content for reply in joined}) == 1
    assert sorted(reply.status_code for reply in refused) == [200, *[409] * 9]
    assert endpoint.stats()["requests"] == before + 2


async def test_streams_and_chains_are_as_they_are_elsewhere(postgres: ApiServer) -> None:
    async with postgres.async_client() as client:
        whole = [event async for event in await client.responses.create(input="Hello", stream=True)]
        opened: Any = whole[0]
        rest = await client.responses.retrieve(opened.response.id, stream=True, starting_after=4)
        more = await client.responses.create(input="a\0b", previous_response_id=opened.response.id)

        assert [event async for event in rest] == whole[5:]
        assert (more.status, await client.responses.retrieve(more.id)) == ("completed", more)


def test_deleted_items_and_killed_chats_are_as_they_are_elsewhere(postgres: ApiServer, endpoint: ModelEndpoint) -> None:
    words: Any = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    hanging: Any = [{"role": "user", "content": script(hang_after=1)}]
    with postgres.client() as client:
        conversation = client.conversations.create(items=words)
        newest = client.conversations.items.list(conversation.id).data[0]
        client.conversations.items.delete(str(newest.id), conversation_id=conversation.id)
        chat = client.chat.completions.create(model="wakeful", messages=hanging, stream=True, extra_headers=LANE)
        until_spoken(chat)
    calls_before = endpoint.stats()["requests"]

    postgres.kill()
    postgres.start()

    with postgres.client() as client:
        until(lambda: is_free(postgres))
        client.responses.create(input="three", conversation=conversation.id)
    assert endpoint.stats()["requests"] == calls_before + 2
    assert [message["content"] for message in endpoint.requests()[-1]["messages"][1:]] == ["one", "three"]


def is_free(server: ApiServer) -> bool:
    """Return whether the session takes a chat: it does once the lease of the killed node has expired."""
    body = {"messages": [{"role": "user", "content": "And?"}]}
    return server.send("POST", "/v1/chat/completions", json=body, headers=LANE).status_code == 200
