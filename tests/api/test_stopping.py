"""The server gets a signal to stop: what it refuses, how it answers waiting clients, and what continues afterwards."""

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.api.conftest import scripted
from tests.api.reader import Reader, all_have_seen, check_whole, many_connections
from tests.api.server import ALICE, ApiServer, ModelEndpoint, running_server, script, until
from tests.api.test_kill import final_of
from tests.endpoint import Endpoint, Script

_HANGING = script(hang_after=1)
_WORDS = "token0 token1 token2 "


@contextmanager
def stopping(server: ApiServer) -> Iterator[None]:
    """Stop the server, and run the block while it waits for its turns."""
    server.stop()
    until(lambda: server.is_stopping)
    yield


def begun(server: ApiServer, words: str) -> str:
    """Start a response, and return its id when it has some text."""
    with server.client() as client:
        made = client.responses.create(input=words, background=True)
        until(lambda: client.responses.retrieve(made.id).output_text != "")
    return made.id


def using(model: Endpoint, **settings: str) -> dict[str, str]:
    return {"WAKEFUL_MODEL": "openai:scripted", "OPENAI_BASE_URL": model.url, **settings}


def test_new_work_is_refused_and_the_rest_is_answered_while_it_stops(tmp_path: Path, endpoint: ModelEndpoint) -> None:
    with running_server(tmp_path / "home", **scripted(endpoint), WAKEFUL_STOP_GRACE_SECONDS="30") as server:
        running = begun(server, _HANGING)
        session = server.send("POST", "/api/session/new", json={}).json()["session_id"]
        before = endpoint.stats()["requests"]
        messages = [{"role": "user", "content": "Hi"}]
        with stopping(server):
            refusals = [
                server.send("POST", path, json=body)
                for path, body in [
                    ("/v1/responses", {"input": "Hi"}),
                    ("/v1/responses", {"input": "Hi", "stream": True}),
                    ("/v1/responses", {"input": "Hi", "background": True}),
                    ("/v1/responses", {"input": "Hi", "store": False}),
                    ("/v1/responses", {"input": "Hi", "store": False, "stream": True}),
                    ("/v1/chat/completions", {"messages": messages}),
                    ("/v1/chat/completions", {"messages": messages, "stream": True}),
                    ("/v1/runs", {"input": "Hi"}),
                    ("/api/chat/start", {"session_id": session, "message": "Hi"}),
                ]
            ]
            shown = server.send("GET", f"/v1/responses/{running}").json()
            health = server.send("GET", "/health")
            # The last turn that the server waits for.
            server.send("POST", f"/v1/responses/{running}/cancel")
            assert server.wait() == 0

    assert {refusal.status_code for refusal in refusals} == {503}
    assert {refusal.json()["error"]["code"] for refusal in refusals} == {"stopping"}
    assert {refusal.json()["error"].get("type") for refusal in refusals[:-1]} == {"server_error"}
    assert all(int(refusal.headers["retry-after"]) > 0 for refusal in refusals)
    assert (shown["status"], health.json()["status"]) == ("in_progress", "stopping")
    assert endpoint.stats()["requests"] == before


async def test_open_streams_end_properly_and_go_on_after_the_restart(own_server: ApiServer) -> None:
    own_server.settings["WAKEFUL_STOP_GRACE_SECONDS"] = "0.2"
    own_server.kill()
    own_server.start()
    readers = [Reader(script(tokens=40, rate=20), f"reader {number}") for number in range(20)]

    async with many_connections() as http, asyncio.timeout(60), asyncio.TaskGroup() as group:
        for reader in readers:
            group.create_task(reader.follow(http, own_server))
        await all_have_seen(readers, 8)
        own_server.stop()
    assert own_server.wait() == 0
    assert not any(reader.is_cut or reader.is_done or reader.has_ended for reader in readers)

    own_server.start()
    async with many_connections() as http, asyncio.timeout(60):
        await asyncio.gather(*(reader.follow(http, own_server) for reader in readers))
        for reader in readers:
            words = "".join(f"token{number} " for number in range(40))
            check_whole(reader, await final_of(http, own_server, reader), words)


async def test_a_waiting_client_with_a_key_is_sent_away_to_retry_and_joins(tmp_path: Path) -> None:
    async with Endpoint([Script(tokens=3, hang_after=1), Script(tokens=3)]) as model:
        with running_server(tmp_path / "home", **using(model, WAKEFUL_STOP_GRACE_SECONDS="0")) as server:
            asked: Any = {"input": "Hello", "extra_headers": {"Idempotency-Key": "mine"}}
            async with server.async_client() as once, server.async_client(max_retries=5) as patient:
                waiting = [asyncio.create_task(client.responses.create(**asked)) for client in (once, patient)]
                await model.wait_for(requests=1)
                server.stop()
                with pytest.raises(openai.InternalServerError) as refused:
                    await waiting[0]
                assert await asyncio.to_thread(server.wait) == 0
                await asyncio.to_thread(server.start)
                joined = await waiting[1]
                again = await once.responses.create(**asked)

    assert (refused.value.status_code, refused.value.code) == (503, "stopping")
    assert refused.value.response.headers["x-should-retry"] == "true"
    assert int(refused.value.response.headers["retry-after"]) > 0
    assert (joined.status, joined.output_text) == ("completed", _WORDS)
    assert again == joined
    # The call that was cut off, and its retry.
    assert model.tally.requests == 2


async def test_a_waiting_client_without_a_key_learns_where_to_look_and_not_to_retry(tmp_path: Path) -> None:
    async with Endpoint([Script(tokens=3, hang_after=1), Script(tokens=3)]) as model:
        with running_server(tmp_path / "home", **using(model, WAKEFUL_STOP_GRACE_SECONDS="0")) as server:
            async with server.async_client(max_retries=5) as client:
                waiting = asyncio.create_task(client.responses.create(input="Hello"))
                await model.wait_for(requests=1)
                server.stop()
                with pytest.raises(openai.InternalServerError) as refused:
                    await waiting
                assert await asyncio.to_thread(server.wait) == 0
                await asyncio.to_thread(server.start)
                named = next(word for word in str(refused.value).split() if word.startswith("resp_"))
                await model.wait_for(answered=1)
                found = [event async for event in await client.responses.retrieve(named, stream=True)]

    assert refused.value.response.headers["x-should-retry"] == "false"
    last: Any = found[-1]
    assert (last.type, last.response.output_text) == ("response.completed", _WORDS)
    assert model.tally.requests == 2


async def test_a_chat_ends_with_its_server_because_its_client_could_not_get_the_rest(tmp_path: Path) -> None:
    async with Endpoint([Script(tokens=3, hang_after=1), Script(tokens=3, hang_after=1), Script(tokens=3)]) as model:
        with running_server(tmp_path / "home", **using(model, WAKEFUL_STOP_GRACE_SECONDS="0")) as server:
            async with server.async_client() as client:
                asked: Any = {"model": "wakeful", "messages": [{"role": "user", "content": "Hi"}]}
                stream = await client.chat.completions.create(**asked, stream=True)
                waiting = asyncio.create_task(client.chat.completions.create(**asked))
                await model.wait_for(requests=2)
                server.stop()
                with pytest.raises(openai.APIError, match="send the request again"):
                    _ = [chunk async for chunk in stream]
                with pytest.raises(openai.InternalServerError):
                    await waiting
            assert await asyncio.to_thread(server.wait) == 0
            await asyncio.to_thread(server.start)
            # Unfinished turns are taken up before the server prints its address.
            async with server.async_client() as client:
                assert (await client.responses.create(input="Hello")).output_text == _WORDS

    assert model.tally.requests == 3


def test_a_running_call_is_recorded_before_the_server_ends_and_the_turn_goes_on_with_it(
    own_server: ApiServer, endpoint: ModelEndpoint, tmp_path: Path
) -> None:
    release = tmp_path / "release"
    command = f"while ! [ -e {release} ]; do sleep 0.05; done; echo it is done"
    words = script(calls=[{"name": "terminal", "id": "call_1", "arguments": {"command": command}}])
    with own_server.client() as client:
        made = client.responses.create(input=words, background=True)
        until(lambda: len(client.responses.retrieve(made.id).output) >= 1)
    before = endpoint.stats()["requests"]
    with stopping(own_server):
        release.touch()
        assert own_server.wait() == 0
    assert endpoint.stats()["requests"] == before

    own_server.start()
    with own_server.client() as client:
        until(lambda: client.responses.retrieve(made.id).status == "completed")

    (result,) = [message for message in endpoint.requests()[-1]["messages"] if message["role"] == "tool"]
    assert "it is done" in result["content"]
    assert endpoint.stats()["requests"] == before + 1


async def test_it_ends_in_time_whatever_hangs(tmp_path: Path, endpoint: ModelEndpoint, soak: bool) -> None:
    settings = scripted(endpoint) | ({} if soak else {"WAKEFUL_STOP_GRACE_SECONDS": "1"})
    stubborn = {"name": "terminal", "arguments": {"command": "trap '' TERM; while :; do sleep 1; done"}}
    readers = [Reader(_HANGING, f"reader {number}") for number in range(200)]
    with running_server(tmp_path / "home", **settings) as server:
        with server.client() as client:
            made = client.responses.create(input=script(calls=[stubborn]), background=True)
            until(lambda: len(client.responses.retrieve(made.id).output) >= 1)
            silent = client.responses.create(input=script(hang=True), background=True)
        talk = begun(server, script(text="x" * 3_000_000))
        async with many_connections() as http, asyncio.timeout(60), asyncio.TaskGroup() as group:
            for reader in readers:
                group.create_task(reader.follow(http, server))
            await all_have_seen(readers, 5)
            with stalled(server, f"/v1/responses/{talk}?stream=true"):
                server.stop()
                assert await asyncio.to_thread(server.wait) == 0

        server.start()
        with server.client() as client:
            assert {client.responses.retrieve(one).status for one in (silent.id, readers[0].response_id)} == {
                "in_progress"
            }
            # The turn continues: the model reads that its command was interrupted.
            until(lambda: client.responses.retrieve(made.id).status == "completed")
    assert not any(reader.is_cut for reader in readers)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once_and_nothing_is_lost(
    tmp_path: Path, endpoint: ModelEndpoint, how: signal.Signals
) -> None:
    with running_server(tmp_path / "home", **scripted(endpoint), WAKEFUL_STOP_GRACE_SECONDS="600") as server:
        running = begun(server, _HANGING)
        with stopping(server):
            assert server.process is not None
            server.process.send_signal(how)
            assert server.wait() in (-how, 128 + how)

        server.start()
        with server.client() as client:
            until(lambda: client.responses.retrieve(running).output_text != "")
            assert client.responses.cancel(running).status == "cancelled"


async def test_the_other_node_goes_on_with_the_turns_of_one_that_stops(tmp_path: Path, postgres_url: str) -> None:
    async with Endpoint([Script(tokens=3, hang_after=1)] * 5 + [Script(tokens=3)]) as model:
        settings = using(model, WAKEFUL_DATABASE_URL=postgres_url, WAKEFUL_STOP_GRACE_SECONDS="0")
        # Long enough that the turns must be handed over: waiting for the lease would time out.
        settings["WAKEFUL_LEASE_SECONDS"] = "60"
        readers = [Reader("Hello", f"reader {number}") for number in range(5)]
        with running_server(tmp_path / "one", **settings) as one, running_server(tmp_path / "two", **settings) as two:
            async with many_connections() as http, asyncio.timeout(60):
                async with asyncio.TaskGroup() as group:
                    for reader in readers:
                        group.create_task(reader.follow(http, one))
                    await all_have_seen(readers, 5)
                    one.stop()
                assert await asyncio.to_thread(one.wait) == 0
                assert not any(reader.is_cut or reader.has_ended for reader in readers)
                await asyncio.gather(*(reader.follow(http, two) for reader in readers))
                for reader in readers:
                    check_whole(reader, await final_of(http, two, reader), _WORDS)


def stalled(server: ApiServer, path: str) -> socket.socket:
    """Return a connection that has sent its request and reads nothing."""
    reader = socket.socket()
    reader.settimeout(20)
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.connect(("127.0.0.1", int(server.root.rpartition(":")[2])))
    reader.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n\r\n".encode())
    return reader
