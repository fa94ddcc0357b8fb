"""The server is killed in the middle of stored streams: clients that come back miss nothing and see nothing twice."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest

from tests.api.reader import Reader, all_have_seen, check_whole, many_connections
from tests.api.server import ApiServer, ModelEndpoint, running_server, script, until, until_spoken
from tests.endpoint import Endpoint, Script

_TOKENS = 40
_WORDS = "".join(f"token{number} " for number in range(_TOKENS))


async def test_streams_and_keys_outlive_a_killed_server(
    own_server: ApiServer, endpoint: ModelEndpoint, soak: bool
) -> None:
    streams, kills = (200, 3) if soak else (50, 1)
    readers = [Reader(script(tokens=_TOKENS, rate=20), f"reader {number}") for number in range(streams)]
    for kill in range(kills):
        async with many_connections() as http, asyncio.timeout(90), asyncio.TaskGroup() as group:
            for reader in readers:
                group.create_task(reader.follow(http, own_server))
            await all_have_seen(readers, 8 + 6 * kill)
            own_server.kill()
        assert not any(reader.has_ended for reader in readers)
        own_server.start()

    async with many_connections() as http, asyncio.timeout(90):
        await asyncio.gather(*(reader.follow(http, own_server) for reader in readers))
        before = endpoint.stats()["requests"]
        for reader in readers:
            check_whole(reader, await final_of(http, own_server, reader), _WORDS, crashes=kills)
        await asyncio.gather(*(check_key(http, own_server, reader) for reader in readers))
    assert endpoint.stats()["requests"] == before
    assert turns_in(own_server.home) == streams


async def final_of(http: aiohttp.ClientSession, server: ApiServer, reader: Reader) -> Any:
    async with http.get(f"{server.root}/v1/responses/{reader.response_id}") as reply:
        return await reply.json()


async def check_key(http: aiohttp.ClientSession, server: ApiServer, reader: Reader) -> None:
    """Check that the same body replays the stream, without lost words, and that another body is refused."""
    again = Reader(reader.words, reader.key)
    await again.follow(http, server)
    seen = {event["sequence_number"]: event for event in reader.events}
    assert all(seen[event["sequence_number"]] == event for event in again.events)
    assert again.said == reader.said
    other = Reader("Something else", reader.key)
    async with http.post(f"{server.root}/v1/responses", **other.request) as reply:
        assert (reply.status, (await reply.json())["error"]["code"]) == (409, "idempotency_key_conflict")


async def test_many_posts_with_one_key_make_one_run_also_across_a_kill(tmp_path: Path, soak: bool) -> None:
    count = 1000 if soak else 300
    scripts = [Script(tokens=3, hang_after=1), Script(tokens=3)]
    async with Endpoint(scripts) as model:
        settings = {"WAKEFUL_MODEL": "openai:scripted", "OPENAI_BASE_URL": model.url, "WAKEFUL_API_CONCURRENCY": "10"}
        with running_server(tmp_path / "home", **settings) as server:
            before = await posts(server, count, kill_during=model)
            server.start()
            after = await posts(server, count)

    assert before == [None] * count
    assert len(set(after)) == 1
    status, body = after[0] or (0, b"")
    assert (status, b"token0 token1 token2 " in body) == (200, True)
    # The call that the kill cut off, and its retry.
    assert model.tally.requests == 2
    assert turns_in(tmp_path / "home") == 1


async def posts(server: ApiServer, posted: int, kill_during: Endpoint | None = None) -> list[tuple[int, bytes] | None]:
    """Return the answers to many identical posts, None for each that got none. The server is killed when all have been
    sent and the model has been called.
    """
    sent = asyncio.Semaphore(0)
    trace = aiohttp.TraceConfig()

    async def count(*about: object) -> None:
        sent.release()

    trace.on_request_chunk_sent.append(count)

    async def post(http: aiohttp.ClientSession) -> tuple[int, bytes] | None:
        headers = {"idempotency-key": "the one"}
        try:
            async with http.post(f"{server.root}/v1/responses", json={"input": "Hello"}, headers=headers) as reply:
                return reply.status, await reply.read()
        except aiohttp.ClientError:
            return None

    async with many_connections(trace_configs=[trace]) as http, asyncio.timeout(90):
        asking = [asyncio.create_task(post(http)) for _ in range(posted)]
        if kill_during is not None:
            for _ in range(posted):
                await sent.acquire()
            await kill_during.wait_for(requests=1)
            server.kill()
        return await asyncio.gather(*asking)


def turns_in(home: Path) -> int:
    with closing(sqlite3.connect(home / "wakeful.db")) as connection:
        (count,) = connection.execute("SELECT count(*) FROM turns").fetchone()
    return int(count)


def test_a_response_with_calls_for_the_server_and_the_client_goes_on_after_a_kill(
    own_server: ApiServer, endpoint: ModelEndpoint
) -> None:
    weather: Any = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}
    slow = {"name": "terminal", "id": "call_ours", "arguments": {"command": "sleep 10"}}
    words = script(calls=[{"name": "weather", "id": "call_7", "arguments": {}}, slow])
    with own_server.client() as client:
        asked: Any = {"input": words, "tools": [weather], "background": True, "conversation": "killed"}
        made = client.responses.create(**asked)
        until(lambda: len(client.responses.retrieve(made.id).output) >= 2)
    calls_before = endpoint.stats()["requests"]

    own_server.kill()
    own_server.start()

    with own_server.client() as client:
        until(lambda: client.responses.retrieve(made.id).status == "completed")
        assert endpoint.stats()["requests"] == calls_before
        cut: Any = client.responses.retrieve(made.id).output[1]
        assert (cut.type, cut.status, "interrupted" in cut.error.content[0]["text"]) == ("mcp_call", "failed", True)
        closed = [event.type for event in client.responses.retrieve(made.id, stream=True) if "item.done" in event.type]
        assert len(closed) == 2
        result: Any = {"type": "function_call_output", "call_id": "call_7", "output": "rain"}
        answered = client.responses.create(input=[result], conversation="killed")

    assert answered.output_text == "token0 token1 token2 "
    results = {m["tool_call_id"]: m["content"] for m in endpoint.requests()[-1]["messages"] if m["role"] == "tool"}
    assert results["call_7"] == "rain"
    assert "interrupted" in results["call_ours"]


def test_a_conversation_is_busy_after_a_kill_until_its_response_has_completed(own_server: ApiServer) -> None:
    asked: Any = {"input": script(tokens=60, rate=25), "background": True, "conversation": "killed"}
    key: Any = {"extra_headers": {"Idempotency-Key": "k"}}
    with own_server.client() as client:
        made = client.responses.create(**asked, **key)
        until(lambda: client.responses.retrieve(made.id).output_text != "")

    own_server.kill()
    own_server.start()

    with own_server.client() as client:
        with pytest.raises(openai.ConflictError):
            client.responses.create(input="And?", conversation="killed")
        assert client.responses.create(**asked, **key).id == made.id
        client.responses.cancel(made.id)
        assert client.responses.create(input="And?", conversation="killed").status == "completed"


def test_a_chat_whose_server_was_killed_is_not_continued(own_server: ApiServer, endpoint: ModelEndpoint) -> None:
    lane = {"x-hermes-session-key": "killed chat"}
    with own_server.client(default_headers=lane) as client:
        asked: Any = {"model": "wakeful", "messages": [{"role": "user", "content": script(tokens=9, hang_after=3)}]}
        stream = client.chat.completions.create(**asked, stream=True)
        until_spoken(stream)
        own_server.kill()
    calls_before = endpoint.stats()["requests"]

    own_server.start()

    # The chat is over before the server takes requests: its session is free, and has nothing of it.
    with own_server.client(default_headers=lane) as client:
        more: Any = [{"role": "user", "content": "And?"}]
        client.chat.completions.create(model="wakeful", messages=more)
    assert endpoint.stats()["requests"] == calls_before + 1
    assert [message["content"] for message in endpoint.requests()[-1]["messages"][1:]] == ["And?"]
