"""Live rows of the list: only of the reader's own sessions, with what the reader has seen."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.web.kit import Reader, Served
from wakeful.web.feeds import row_feed
from wakeful.web.feeds.rows import session_rows


async def row_of(reader: Reader, session_id: str, **wanted: Any) -> dict[str, Any]:
    """Return the first row of the session that has these fields."""
    while True:
        row = (await reader.until("session_row"))[-1].data["row"]
        if row["session_id"] == session_id and all(row[name] == value for name, value in wanted.items()):
            found: dict[str, Any] = row
            return found


async def test_every_change_sends_a_row(web: Served) -> None:
    session_id = await web.new_session(title="")
    async with web.stream("/api/stream", rows="1") as reader:
        turn_id = await web.say(session_id, "work")
        row = await row_of(reader, session_id, active_turn_id=turn_id)
        assert (row["title"], row["unread"], row["last_status"], row["woken"]) == ("work", False, None, False)
        await web.begin_task(turn_id, "job")
        await row_of(reader, session_id, running_tasks=1)
        web.agent.order(turn_id, "finish")
        await row_of(reader, session_id, active_turn_id=None, unread=True, last_status="done", woken=False)
        await web.end_task("job")
        row = await row_of(reader, session_id, running_tasks=0)
        web.agent.order((await web.shown(session_id))["active"]["turn_id"], "fail")
        await row_of(reader, session_id, last_status="failed", woken=True)


async def test_what_a_reader_has_seen_is_not_unread_for_that_reader(web: Served) -> None:
    session_id = await web.new_session()
    await web.finished(await web.say(session_id, "work", "finish"))
    last = await web.last_event(session_id)
    async with web.stream("/api/stream", rows="1") as reader:
        reply = await web.post("/api/session/seen", {"session_id": session_id, "event_id": last})
        await row_of(reader, session_id, unread=False)
    # A lower number does not make it unread again.
    await web.post("/api/session/seen", {"session_id": session_id, "event_id": 1})

    assert reply.json == {"ok": True}
    assert [row["unread"] for row in (await web.get("/api/sessions")).json["sessions"]] == [False]
    assert [row["unread"] for row in (await web.get("/api/sessions", "operator")).json["sessions"]] == [True]
    assert [(await web.shown(session_id, who))["session"]["unread"] for who in ("ann", "operator")] == [False, True]
    assert (await web.post("/api/session/seen", {"session_id": session_id, "event_id": -1})).code == "invalid_request"
    assert (await web.post("/api/session/seen", {"session_id": session_id, "event_id": 1}, "bob")).status == 404


async def test_rows_of_others_are_not_sent(web: Served) -> None:
    own, others = await web.new_session("bob"), await web.new_session("ann")
    async with (
        web.stream("/api/stream", "bob", rows="1") as reader,
        web.stream("/api/stream", "operator", rows="1") as seer,
    ):
        await web.finished(await web.say(others, "work", "finish"))
        await row_of(seer, others, last_status="done")
        await web.patch("/api/session", {"session_id": own, "title": "mine"}, "bob")
        first = await reader.next()

    assert first is not None
    assert first.data["row"]["session_id"] == own


async def test_rows_share_a_connection_with_sessions_and_its_cursor(web: Served) -> None:
    session_id = await web.new_session()
    async with web.stream("/api/stream", sessions=session_id, turns="inline", html="1", rows="1") as reader:
        await reader.until("initial")
        await web.say(session_id, "work", "token", "finish")
        frames = await reader.until("turn_completed")
        frames += await reader.until("session_row")

    rows = [frame for frame in frames if frame.event == "session_row"]
    assert all(frame.id.startswith(f"{session_id}:") for frame in rows)
    assert [frame.event for frame in frames if frame.event == "answer_html"]


async def test_without_rows_there_must_be_a_session(web: Served) -> None:
    assert (await web.get("/api/stream")).code == "invalid_request"
    assert (await web.get("/api/stream", rows="maybe")).code == "invalid_request"


async def test_the_tabs_of_one_person_share_one_read_of_the_store(web: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = await web.new_session()
    looks: list[str] = []

    async def counted(tx: Any, reader: str, sessions: Any, mode: Any) -> Any:
        looks.append(reader)
        return await rows(tx, reader, sessions, mode)

    rows = session_rows
    monkeypatch.setattr(row_feed, "session_rows", counted)
    async with AsyncExitStack() as open_streams:
        tabs = [await open_streams.enter_async_context(web.stream("/api/stream", rows="1")) for _ in range(20)]
        await web.patch("/api/session", {"session_id": session_id, "title": "Changed"})
        for tab in tabs:
            await row_of(tab, session_id, title="Changed")

    # At most one read for each commit that changed it.
    assert 1 <= len(looks) <= 2


async def test_a_tab_does_not_join_a_read_that_began_before_the_last_change(
    web: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await web.new_session()
    has_read, may_answer = asyncio.Event(), asyncio.Event()

    async def held(*key: Any) -> Any:
        found = await read(*key)
        if not has_read.is_set():
            has_read.set()
            await may_answer.wait()
        return found

    read = row_feed.RowFeed._read
    monkeypatch.setattr(row_feed.RowFeed, "_read", held)
    async with web.stream("/api/stream", rows="1") as early:
        await web.patch("/api/session", {"session_id": session_id, "title": "Old"})
        await has_read.wait()
        async with web.stream("/api/stream", rows="1") as late:
            await web.patch("/api/session", {"session_id": session_id, "title": "New"})
            row = await row_of(late, session_id)
        may_answer.set()
        await row_of(early, session_id, title="New")

    assert row["title"] == "New"
