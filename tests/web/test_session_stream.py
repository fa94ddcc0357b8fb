"""The stream of a session across its turns: its greeting, its frames, and resuming without gaps."""

from typing import Any

import pytest

from tests.web.kit import Frame, Reader, Served
from wakeful.model.approvals.approval import Approval, Reason
from wakeful.store.base import Transaction


async def lively_session(web: Served) -> str:
    """Make a session whose log has everything: turns of all outcomes, joined and withdrawn messages, tasks, changes."""
    session_id = await web.new_session()
    first = await web.say(session_id, "one", "token")
    await web.running(first)
    await web.begin_task(first, "p1")
    await web.say(session_id, "steering", if_busy="steer")
    withdrawn = await web.say(session_id, "no")
    await web.post("/api/chat/withdraw", {"session_id": session_id, "turn_id": withdrawn})
    web.agent.order(first, "step", "token", "finish")
    await web.finished(first)
    await web.end_task("p1")
    woken = (await web.shown(session_id))["active"]["turn_id"]
    web.agent.order(woken, "fail")
    await web.finished(woken)
    await web.patch("/api/session", {"session_id": session_id, "title": "New"})
    stopped = await web.say(session_id, "two")
    await web.running(stopped)
    await web.post("/api/chat/cancel", {"session_id": session_id})
    return session_id


async def log_of(reader: Reader, end: int) -> list[Frame]:
    """Return the frames after the greeting, up to the event `end`."""
    frames: list[Frame] = []
    while not frames or frames[-1].id != str(end):
        frame = await reader.next()
        assert frame is not None
        if frame.event != "initial" and not frame.data.get("recovered"):
            frames.append(frame)
    return frames


async def read_log(web: Served, session_id: str, end: int, **how: Any) -> list[Frame]:
    async with web.stream("/api/session/stream", session_id=session_id, **how) as reader:
        return await log_of(reader, end)


async def test_it_begins_with_the_state_of_the_session_and_repeats_nothing_of_a_quiet_one(web: Served) -> None:
    session_id = await web.new_session()
    await web.patch("/api/session", {"session_id": session_id, "title": "New"})

    for how in ({}, {"turns": "inline"}, {"turns": "inline", "html": "1"}):
        async with web.stream("/api/session/stream", session_id=session_id, **how) as reader:
            initial = await reader.next()

        assert initial == Frame("1", "initial", {"session_id": session_id, "last_event_id": 1, "active": None})


async def test_a_reader_that_comes_while_a_turn_runs_hears_of_it(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "token")
    async with web.stream("/api/chat/stream", stream_id=turn_id) as turn:
        await turn.until("token")

    async with web.stream("/api/session/stream", session_id=session_id) as reader:
        initial, recovered = await reader.next(), await reader.next()
        web.agent.order(turn_id, "finish")
        completed = (await reader.until("turn_completed"))[-1]

    assert initial is not None
    assert initial.data["active"] == {"turn_id": turn_id, "stream_id": turn_id, "source": "user"}
    started = {"session_id": session_id, "turn_id": turn_id, "stream_id": turn_id, "source": "user", "recovered": True}
    assert recovered == Frame("2", "server_turn_started", started)
    assert completed.data == {"session_id": session_id, "turn_id": turn_id, "stream_id": turn_id, "status": "done"}


async def test_with_turns_inline_it_begins_at_the_active_turns_first_event(web: Served) -> None:
    session_id = await web.new_session()
    await web.finished(await web.say(session_id, "before", "finish"))
    turn_id = await web.say(session_id, "work", "token")

    async with web.stream("/api/session/stream", session_id=session_id, turns="inline") as reader:
        web.agent.order(turn_id, "finish")
        frames = await reader.until("turn_completed")

    assert [(frame.id, frame.event) for frame in frames] == [
        ("4", "initial"),
        ("4", "server_turn_started"),
        ("5.1", "server_turn_started"),
        ("5", "turn_started"),
        ("6", "message"),
        ("6~6~1", "token"),
        ("7", "usage"),
        ("8.1", "done"),
        ("8", "turn_completed"),
    ]
    assert all((f.data["session_id"], f.data["turn_id"]) == (session_id, turn_id) for f in frames[1:])


async def test_without_turns_inline_it_carries_the_sessions_events_only(web: Served) -> None:
    session_id = await lively_session(web)
    end = await web.last_event(session_id)

    frames = await read_log(web, session_id, end, after="0")

    assert [frame.event for frame in frames] == [
        "server_turn_started", "task_started", "message_queued", "message_queued", "session-updated",
        "session-updated", "turn_completed", "process_complete", "server_turn_started", "turn_completed",
        "session-updated", "server_turn_started", "turn_completed",
    ]  # fmt: skip
    assert [f.data["status"] for f in frames if f.event == "turn_completed"] == ["done", "failed", "cancelled"]
    assert all(frame.data["session_id"] == session_id and frame.id.isdecimal() for frame in frames)
    (complete,) = [frame.data for frame in frames if frame.event == "process_complete"]
    assert (complete["process_id"], complete["status"], complete["exit_code"]) == ("p1", "exited", 0)
    assert {"event_id", "summary"} <= complete.keys()


@pytest.mark.parametrize("turns", ["", "inline"])
async def test_a_resume_at_every_point_is_the_rest_of_the_whole(web: Served, turns: str) -> None:
    session_id = await lively_session(web)
    end = await web.last_event(session_id)
    whole = await read_log(web, session_id, end, after="0", turns=turns)

    assert len({frame.id for frame in whole}) == len(whole)
    assert any("." in frame.id for frame in whole) is (turns == "inline")
    for position, frame in enumerate(whole[:-1], start=1):
        assert await read_log(web, session_id, end, last=frame.id, turns=turns) == whole[position:]


async def test_a_cut_between_two_frames_of_one_event_loses_nothing_in_either_kind(web: Served) -> None:
    session_id = await web.new_session()
    await web.finished(await web.say(session_id, "hi", "finish"))
    end = await web.last_event(session_id)

    (completed,) = await read_log(web, session_id, end, last=f"{end}.1")

    assert (completed.event, completed.id) == ("turn_completed", str(end))


async def test_a_malformed_cursor_replays_from_the_start(web: Served) -> None:
    session_id = await web.new_session()
    await web.finished(await web.say(session_id, "hi", "finish"))
    end = await web.last_event(session_id)

    of_facts = ("nonsense", "999", "-1", "1.x", "0.1", "2.0", "1.2.3", "a:1")
    of_words = ("2~", "2~1", "2~0~1", "2~3~1", "1.1~1~1", "2~1~x", "2~1~1~1", "999~1~1")
    for cursor in of_facts + of_words:
        frames = await read_log(web, session_id, end, last=cursor, after=str(end))
        assert [frame.event for frame in frames] == ["server_turn_started", "turn_completed"], cursor


async def test_two_readers_hear_the_same_and_other_sessions_hear_nothing(web: Served) -> None:
    session_id, other = await web.new_session(), await web.new_session()

    async with (
        web.stream("/api/session/stream", session_id=session_id, turns="inline") as one,
        web.stream("/api/session/stream", session_id=session_id, turns="inline") as two,
        web.stream("/api/session/stream", session_id=other, turns="inline") as elsewhere,
    ):
        await web.say(session_id, "hi", "token", "finish")
        heard = [await reader.until("turn_completed") for reader in (one, two)]
        await web.patch("/api/session", {"session_id": other, "title": "New"})
        quiet = await elsewhere.until("session-updated")

    assert heard[0] == heard[1]
    assert [frame.event for frame in quiet] == ["initial", "session-updated"]


async def test_a_reader_that_comes_later_gets_the_open_approval(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "rm -rf /")
    await web.running(turn_id)
    await ask(web, session_id, turn_id)

    async with web.stream("/api/session/stream", session_id=session_id) as reader:
        asked = (await reader.until("approval_required"))[-1]
        reply = await web.post(
            "/api/approval/respond", {"session_id": session_id, "call_id": "call_1", "choice": "deny"}
        )
        answered = (await reader.until("approval_answered"))[-1]
    again = await web.post("/api/approval/respond", {"session_id": session_id, "call_id": "call_1", "choice": "always"})

    assert (asked.data["call_id"], asked.data["recovered"], asked.data["expires_at"][-1]) == ("call_1", True, "Z")
    assert reply.json == {"ok": True}
    assert answered.data == {
        "session_id": session_id,
        "call_id": "call_1",
        "choice": "deny",
        "task_id": None,
        "command": "rm -rf /",
    }
    assert (again.status, again.code) == (409, "already_answered")
    assert (await web.shown(session_id))["approvals"] == []


async def test_an_open_approval_is_listed(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "rm -rf /")
    await web.running(turn_id)
    await ask(web, session_id, turn_id)

    (approval,) = (await web.shown(session_id))["approvals"]

    assert {"call_id", "task_id", "command", "danger", "reason", "expires_at"} <= approval.keys()
    assert approval["command"] == "rm -rf /"


async def ask(web: Served, session_id: str, turn_id: str) -> None:
    """Ask, as a tool does that must not go on without an answer."""

    async def body(tx: Transaction) -> None:
        expires = await tx.now() + 60
        reasons = (Reason("delete_outside", "deletes it all", "/", "rm -rf /"),)
        approval = Approval(session_id, turn_id, 1, 1, "call_1", "terminal", "rm -rf /", reasons, expires)
        await tx.approvals.ask_if_new(approval)

    await web.store.write(body, lock=[session_id])
