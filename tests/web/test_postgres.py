"""The routes on PostgreSQL, where it differs: no NUL in text, the time of the database, two nodes on one log."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.web.kit import Served, served
from wakeful.store.postgres.store import PostgresStore


@pytest.fixture
async def nodes(postgres_url: str, tmp_path: Path) -> AsyncIterator[tuple[Served, Served]]:
    async with AsyncExitStack() as ending:
        found = []
        for _ in range(2):
            store = PostgresStore(postgres_url)
            ending.push_async_callback(store.close)
            await store.open()
            found.append(await ending.enter_async_context(served(store, tmp_path)))
        yield found[0], found[1]


async def test_a_turn_on_one_node_is_followed_and_stopped_on_the_other(nodes: tuple[Served, Served]) -> None:
    here, there = nodes
    session_id = await here.new_session()
    turn_id = await here.say(session_id, "NUL \0 and 🌊", "token")

    async with there.stream("/api/session/stream", session_id=session_id, turns="inline") as reader:
        frames = await reader.until("token")
        cancelled = await there.post("/api/chat/cancel", {"session_id": session_id})
        frames += await reader.until("turn_completed")

    assert cancelled.json == {"cancelled": True}
    live = [frame for frame in frames if frame.event != "initial" and not frame.data.get("recovered")]
    assert [(frame.id, frame.event) for frame in live] == [
        ("1.1", "server_turn_started"),
        ("1", "turn_started"),
        ("2", "message"),
        ("2~2~1", "token"),
        ("3.1", "cancelled"),
        ("3", "turn_completed"),
    ]
    assert await there.finished(turn_id) == await here.finished(turn_id)
    messages = (await there.shown(session_id))["messages"]
    assert [message["content"] for message in messages] == ["NUL \0 and 🌊", "node ", "Stopped."]


async def test_sessions_are_listed_searched_and_paged(nodes: tuple[Served, Served]) -> None:
    here, there = nodes
    made = [await here.new_session(title=f"Number {number}") for number in range(3)]
    await here.finished(await here.say(made[0], "Where is the BOAT?", "finish"))

    first = (await there.get("/api/sessions", limit=2)).json
    second = (await there.get("/api/sessions", limit=2, cursor=first["next_cursor"])).json
    found = (await there.get("/api/sessions", q="boat")).json

    seen = [row["session_id"] for row in first["sessions"] + second["sessions"]]
    assert seen == [made[0], made[2], made[1]]
    assert second["next_cursor"] is None
    assert [row["session_id"] for row in found["sessions"]] == [made[0]]


async def test_ids_that_the_database_cannot_store_are_refused_or_not_found(nodes: tuple[Served, Served]) -> None:
    here, _ = nodes
    session_id = await here.new_session()

    replies = [
        await here.get("/api/session", session_id="a\0b"),
        await here.get("/api/sessions", q="a\0b"),
        await here.get("/api/tasks/a%00b"),
        await here.get("/api/chat/stream", stream_id="\0"),
        await here.post("/api/chat/start", {"session_id": session_id, "message": "x", "client_message_id": "\0"}),
    ]

    assert {reply.status for reply in replies} == {400}
