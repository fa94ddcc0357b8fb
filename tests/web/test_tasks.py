"""Background work, seen and ended by people."""

from tests.web.kit import Served


async def test_a_task_is_shown_with_all_its_fields(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.running(turn_id)
    await web.begin_task(turn_id, "p1")
    web.tasks.percent["p1"] = 42

    shown = (await web.get("/api/tasks/p1")).json

    assert shown == {
        "id": "p1",
        "kind": "process",
        "session_id": session_id,
        "turn_id": turn_id,
        "message_id": shown["message_id"],
        "child_session_id": None,
        "command": "run p1",
        "status": "running",
        "exit_code": None,
        "started_at": shown["started_at"],
        "ended_at": None,
        "progress": 42,
        "woke_turn_id": None,
        "will_notify": True,
        "watched_for": [],
    }
    assert (await web.shown(session_id))["tasks"] == [shown]
    assert (await web.get("/api/tasks", session_id=session_id)).json == {"tasks": [shown]}
    assert (await web.get("/api/tasks")).json == {"tasks": [shown]}


async def test_a_task_that_woke_a_turn_names_it_and_will_not_notify_again(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.begin_task(turn_id, "p1")
    web.agent.order(turn_id, "finish")
    await web.finished(turn_id)

    await web.end_task("p1", 7)

    task = (await web.get("/api/tasks/p1")).json
    woken = (await web.shown(session_id))["active"]["turn_id"]
    assert (task["status"], task["exit_code"], task["will_notify"]) == ("failed", 7, False)
    assert (task["woke_turn_id"], task["ended_at"][-1]) == (woken, "Z")


async def test_a_log_is_read_from_any_byte_and_consumes_nothing(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.running(turn_id)
    await web.begin_task(turn_id, "p1")
    web.tasks.logs["p1"] = b"one\ntwo\n"

    first = (await web.get("/api/tasks/p1/log")).json
    rest = (await web.get("/api/tasks/p1/log", offset=4)).json
    below = (await web.get("/api/tasks/p1/log", offset=-5)).json

    assert first == {"output": "one\ntwo\n", "offset": 0, "next_offset": 8, "ended": False}
    assert rest == {"output": "two\n", "offset": 4, "next_offset": 8, "ended": False}
    assert below == first
    await web.end_task("p1")
    assert (await web.get("/api/tasks/p1/log")).json["ended"] is True
    assert (await web.shown(session_id))["pending_notices"]


async def test_a_killed_task_wakes_no_turn_but_readers_hear_of_its_end(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.begin_task(turn_id, "p1")
    web.agent.order(turn_id, "finish")
    await web.finished(turn_id)

    async with web.stream("/api/session/stream", session_id=session_id) as reader:
        replies = [await web.post("/api/tasks/p1/kill", {}) for _ in range(2)]
        complete = (await reader.until("process_complete"))[-1]

    assert [(reply.status, reply.json) for reply in replies] == [(200, {"ok": True})] * 2
    assert (complete.data["process_id"], complete.data["status"]) == ("p1", "killed")
    assert complete.data["exit_code"] is None
    assert (await web.shown(session_id))["active"] is None


async def test_an_acknowledgement_changes_nothing(web: Served) -> None:
    session_id = await web.new_session()
    before = await web.shown(session_id)

    reply = await web.post("/api/process-complete-ack", {"session_id": session_id, "process_id": "proc_x"})

    assert reply.json == {"ok": True, "session_id": session_id, "process_id": "proc_x", "noop": True}
    assert await web.shown(session_id) == before


async def test_ended_tasks_beyond_the_newest_are_left_out(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.running(turn_id)
    for number in range(105):
        await web.begin_task(turn_id, f"p{number:03}", will_notify=False)
        if number:
            await web.end_task(f"p{number:03}")

    shown = [task["id"] for task in (await web.shown(session_id))["tasks"]]

    assert shown == [f"p{number:03}" for number in range(104, 4, -1)] + ["p000"]
