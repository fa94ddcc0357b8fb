"""A deleted session disappears at once, can be restored for a while, and is then removed for good."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.web.kit import Served, served
from wakeful.engine.settings import EngineSettings
from wakeful.store.base import Store, Transaction
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
async def quick(store: SqliteStore, tmp_path: Path) -> AsyncIterator[Served]:
    """A server where a deleted session cannot be restored."""
    async with served(store, tmp_path, settings=EngineSettings(stop_grace_seconds=0.0, undo_seconds=0.0)) as web:
        yield web


async def delete(web: Served, session_id: str, who: str = "ann") -> int:
    return (await web.request("DELETE", "/api/session", who, params={"session_id": session_id})).status


async def is_there(store: Store, session_id: str) -> bool:
    async def body(tx: Transaction) -> bool:
        return await tx.sessions.get(session_id) is not None

    return await store.read(body)


async def gone(store: Store, session_id: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while await is_there(store, session_id):  # noqa: ASYNC110 - the purger has no event for it
            await asyncio.sleep(0.01)


async def test_a_deleted_session_is_not_found_anywhere(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.begin_task(turn_id, "job")

    assert await delete(web, session_id) == 200

    assert (await web.get("/api/sessions")).json["sessions"] == []
    assert (await web.get("/api/tasks")).json["tasks"] == []
    for path, query in (
        ("/api/session", {"session_id": session_id}),
        ("/api/session/stream", {"session_id": session_id}),
        ("/api/stream", {"sessions": session_id}),
        ("/api/chat/stream", {"stream_id": turn_id}),
        ("/api/session/timeline", {"session_id": session_id}),
        ("/api/tasks", {"session_id": session_id}),
        ("/api/tasks/job", {}),
        ("/api/tasks/job/log", {}),
    ):
        assert (await web.get(path, **query)).status == 404, path
    for path in ("/api/chat/start", "/api/chat/cancel", "/api/chat/regenerate", "/api/session/branch"):
        assert (await web.post(path, {"session_id": session_id, "message": "hi"})).status == 404, path
    assert (await web.patch("/api/session", {"session_id": session_id, "title": "x"})).status == 404
    assert await delete(web, session_id) == 404


async def test_a_restored_session_is_as_it_was_with_what_ran_in_it(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.running(turn_id)
    await delete(web, session_id)
    web.agent.order(turn_id, "finish")

    reply = await web.post("/api/session/restore", {"session_id": session_id})
    await web.finished(turn_id)

    assert reply.json == {"ok": True}
    assert [message["content"] for message in (await web.shown(session_id))["messages"]] == ["work", "done"]
    assert (await web.post("/api/session/restore", {"session_id": session_id}, "bob")).status == 404


async def test_nothing_new_begins_in_it_until_it_is_restored(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.begin_task(turn_id, "job")
    await delete(web, session_id)
    web.agent.order(turn_id, "finish")
    await web.end_task("job")
    assert list(web.agent.briefs) == [turn_id]

    await web.post("/api/session/restore", {"session_id": session_id})
    woken = (await web.shown(session_id))["active"]["turn_id"]

    assert woken != turn_id
    assert (await web.running(woken)).turn.is_wakeup


async def test_lists_get_a_frame_when_it_is_deleted_and_when_it_is_restored(web: Served) -> None:
    session_id = await web.new_session()
    async with web.stream("/api/stream", rows="1") as reader:
        await delete(web, session_id)
        (frame,) = await reader.until("session_gone")
        assert frame.data == {"session_id": session_id}
        await web.post("/api/session/restore", {"session_id": session_id})
        assert (await reader.until("session_row"))[-1].data["row"]["session_id"] == session_id


async def test_another_owners_session_cannot_be_deleted(web: Served) -> None:
    session_id = await web.new_session()

    assert await delete(web, session_id, "bob") == 404
    assert await delete(web, session_id, "operator") == 200


async def test_after_its_time_it_cannot_be_restored_and_nothing_is_left(quick: Served, store: SqliteStore) -> None:
    session_id = await quick.new_session()
    await quick.finished(await quick.say(session_id, "work", "step", "finish"))
    running = await quick.say(session_id, "more")
    await quick.running(running)

    await delete(quick, session_id)
    await gone(store, session_id)

    assert (await quick.post("/api/session/restore", {"session_id": session_id})).status == 404

    async def body(tx: Transaction) -> list[object]:
        return [await tx.events.of_session(session_id, 0, 1), await tx.journal.of_turns([running])]

    assert await store.read(body) == [[], []]


async def test_what_runs_in_it_is_ended_without_a_wake_up(quick: Served, store: SqliteStore) -> None:
    session_id = await quick.new_session()
    turn_id = await quick.say(session_id, "work")
    await quick.begin_task(turn_id, "job")

    await delete(quick, session_id)
    async with asyncio.timeout(PATIENCE):
        while not (task := await quick.engine.tasks.get("job")) or not task.kill_intended:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)
    assert await is_there(store, session_id)
    await quick.end_task("job")
    await gone(store, session_id)

    assert list(quick.agent.briefs) == [turn_id]
    assert await quick.engine.tasks.get("job") is None


async def test_a_branch_outlives_its_original(quick: Served, store: SqliteStore) -> None:
    session_id = await quick.new_session()
    first = await quick.say(session_id, "one", "step", "finish")
    await quick.finished(first)
    branch = (await quick.post("/api/session/branch", {"session_id": session_id})).json["session_id"]
    left = await quick.say(session_id, "two", "finish")
    await quick.finished(left)
    before = (await quick.shown(branch))["messages"]

    await delete(quick, session_id)
    await quick.engine.purger.sweep()

    assert (await quick.shown(branch))["messages"] == before
    tool = before[2]
    result = await quick.get("/api/session/result", session_id=branch, message_id=tool["id"])
    assert result.json["result"] == "worked on node"
    await quick.finished(await quick.say(branch, "three", "finish"))
    assert (await quick.get("/api/session", session_id=session_id)).status == 404

    async def body(tx: Transaction) -> bool:
        return await tx.turns.get(left) is None

    assert await store.read(body), "what no branch needs is gone"
    await delete(quick, branch)
    await gone(store, branch)
    await quick.engine.purger.sweep()
    assert not await is_there(store, session_id), "with the last branch the rest goes too"
