"""The client of the commands, over the Unix socket, also when the server restarts."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, closing
from pathlib import Path

import pytest

from tests.web.kit import KEYS, Served, served
from wakeful.cli import client as client_module
from wakeful.cli.client import Client, RequestRefused, ServerGone
from wakeful.cli.server.listener import local_listener, local_socket
from wakeful.store.sqlite.store import SqliteStore


@asynccontextmanager
async def served_locally(store: SqliteStore, home: Path) -> AsyncIterator[Served]:
    with local_listener(home) as local:
        assert local is not None
        async with served(store, home, local=local) as web:
            yield web


async def test_it_gets_posts_and_patches(store: SqliteStore, tmp_path: Path) -> None:
    async with (
        served_locally(store, tmp_path) as web,
        Client(local_socket(tmp_path), KEYS["ann"], "terminal") as client,
    ):
        session_id = (await client.post("/api/session/new", {"title": "Mine"}))["session_id"]
        started = await client.post("/api/chat/start", {"session_id": session_id, "message": "x" * 2_000_000})
        await client.patch("/api/session", {"session_id": session_id, "title": "Other"})
        shown = await client.get("/api/session", session_id=session_id, limit=1)

        assert (await web.running(started["turn_id"])).turn.door.name == "terminal"
        assert shown["session"]["title"] == "Other"


async def test_a_refusal_is_an_error_with_the_servers_sentence(store: SqliteStore, tmp_path: Path) -> None:
    async with (
        served_locally(store, tmp_path) as web,
        Client(local_socket(tmp_path), KEYS["ann"], "terminal") as client,
    ):
        session_id = await web.new_session()
        running = await web.say(session_id, "work")
        with pytest.raises(RequestRefused, match=r"^The session is busy with another turn\.$") as refused:
            await client.post("/api/chat/start", {"session_id": session_id, "message": "more", "if_busy": "reject"})
        with pytest.raises(RequestRefused, match=r"^There is no session nowhere\.$"):
            async for _ in client.events("/api/session/stream", session_id="nowhere"):
                pass

    assert (refused.value.status, refused.value.code) == (409, "session_busy")
    assert refused.value.details["active_stream_id"] == running


async def test_a_missing_server_is_an_error_too(tmp_path: Path) -> None:
    async with Client(local_socket(tmp_path), "key", "terminal") as client:
        with pytest.raises(ServerGone):
            await client.get("/api/sessions")


async def test_a_server_that_is_gone_or_silent_is_given_up_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_SILENCE_SECONDS", 0.05)
    path = tmp_path / "silent"

    async with Client(path, "key", "ask", patience=0.05) as client, asyncio.timeout(5):
        with pytest.raises(ServerGone, match="does not answer any more"):
            await anext(client.events("/api/chat/stream", stream_id="turn_1"))
        with closing(socket.socket(socket.AF_UNIX)) as frozen:
            frozen.bind(str(path))
            frozen.listen()
            with pytest.raises(ServerGone):
                await anext(client.events("/api/chat/stream", stream_id="turn_1"))
            with pytest.raises(ServerGone):
                await client.get("/api/sessions")


async def test_the_events_of_a_turn_end_with_it(store: SqliteStore, tmp_path: Path) -> None:
    async with (
        served_locally(store, tmp_path) as web,
        Client(local_socket(tmp_path), KEYS["ann"], "terminal") as client,
    ):
        turn_id = await web.say(await web.new_session(), "hi", "token", "finish")
        events = [event async for event in client.events("/api/chat/stream", stream_id=turn_id)]

    assert [event.name for event in events] == ["turn_started", "message", "token", "usage", "done"]
    assert events[2].data == {"step": 1, "text": "node "}


async def test_after_a_restart_the_stream_goes_on_without_gaps_or_repeats(store: SqliteStore, tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []
    news = asyncio.Event()

    async def follow(client: Client, session_id: str) -> None:
        query = {"session_id": session_id, "turns": "inline"}
        async with aclosing(client.events("/api/session/stream", after="0", **query)) as events:
            async for event in events:
                if event.name != "initial" and not event.data.get("recovered"):
                    seen.append((event.id, event.name))
                    news.set()

    async with Client(local_socket(tmp_path), KEYS["ann"], "terminal") as client:
        async with served_locally(store, tmp_path) as web:
            session_id = await web.new_session()
            await web.finished(await web.say(session_id, "one", "finish"))
            following = asyncio.create_task(follow(client, session_id))
            while ("4", "turn_completed") not in seen:
                news.clear()
                await asyncio.wait_for(news.wait(), 5)
        async with served_locally(store, tmp_path) as web:
            await web.finished(await web.say(session_id, "two", "finish"))
            while ("8", "turn_completed") not in seen:
                news.clear()
                await asyncio.wait_for(news.wait(), 5)
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            await web.wait_for_no_followers()

    ids = ["1.1", "1", "2", "3", "4.1", "4", "5.1", "5", "6", "7", "8.1", "8"]
    assert [number for number, _ in seen] == ids
