"""News of all sessions of one person, and the data of the home page."""

from typing import Any

import pytest

from tests.web.kit import Reader, Served
from wakeful.model.tasks.task import TaskOutcome, TaskStatus, WatchMatch
from wakeful.web.feeds import news_feed


async def news_of(reader: Reader) -> dict[str, Any]:
    data: dict[str, Any] = (await reader.until("news"))[-1].data
    return data


async def working_session(web: Served, *jobs: str, title: str = "Fix the build", who: str = "ann") -> str:
    """Make a session that is idle while these jobs run."""
    session_id = await web.new_session(who, title=title)
    turn_id = await web.say(session_id, "work", who=who)
    for job in jobs:
        await web.begin_task(turn_id, job)
    web.agent.order(turn_id, "finish")
    async with web.stream("/api/chat/stream", who, stream_id=turn_id) as reader:
        await reader.rest()
    return session_id


async def test_the_end_of_a_job_in_another_session_is_news_at_once_with_its_command_and_exit_code(
    web: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What may be news is looked at later; this is news for certain.
    monkeypatch.setattr(news_feed, "_PAUSE_SECONDS", 3600)
    session_id = await working_session(web, "job")
    other = await web.new_session()
    async with web.stream("/api/stream", sessions=other, news="1") as reader:
        await reader.until("news_initial")
        await web.end_task("job", 2)
        news = await news_of(reader)

    assert {name: news[name] for name in ("session_id", "title", "kind", "task_id", "status", "exit_code")} == {
        "session_id": session_id,
        "title": "Fix the build",
        "kind": "process_complete",
        "task_id": "job",
        "status": "failed",
        "exit_code": 2,
    }
    assert (news["outcome"], news["wakes"], news["news_id"]) == ("failed with exit code 2", True, 1)
    assert news["command"]


async def test_a_reader_that_was_disconnected_gets_what_it_missed_once(web: Served) -> None:
    await working_session(web, "one", "two", "three")
    async with web.stream("/api/stream", news="1") as reader:
        first = await reader.next()
    assert first is not None
    await web.end_task("one")
    await web.end_task("two", 1)

    async with web.stream("/api/stream", last=first.id, news="1") as reader:
        missed = [await news_of(reader), await news_of(reader)]
        await web.end_task("three")
        frame = (await reader.until("news"))[-1]
    async with web.stream("/api/stream", last=frame.id, news="1", rows="1") as reader:
        greeting = await reader.next()

    assert (first.event, first.id, first.data) == ("news_initial", "news:0", {"last_news_id": 0})
    assert [(news["task_id"], news["news_id"]) for news in missed] == [("one", 1), ("two", 2)]
    assert (frame.id, frame.data["task_id"]) == ("news:3", "three")
    assert greeting is not None
    assert (greeting.id, greeting.data) == ("news:3", {"last_news_id": 3})


async def test_a_malformed_cursor_replays_and_one_without_news_begins_now(web: Served) -> None:
    session_id = await working_session(web, "one", "two")
    await web.end_task("one")
    for cursor in ("nonsense", "news:7", "news:1.1"):
        async with web.stream("/api/stream", last=cursor, news="1") as reader:
            assert (await news_of(reader))["task_id"] == "one"
    async with web.stream("/api/stream", sessions=session_id, last=f"{session_id}:1", news="1") as reader:
        frames = await reader.until("news_initial")
        await web.end_task("two")
        assert (await news_of(reader))["task_id"] == "two"

    assert frames[-1].id == f"{session_id}:1,news:1"


async def test_a_killed_task_and_the_sessions_of_others_make_no_news(web: Served) -> None:
    await working_session(web, "killed", "job")
    await working_session(web, "of_bob", who="bob")
    async with web.stream("/api/stream", news="1") as reader:
        await reader.until("news_initial")
        await web.end_task("of_bob")
        await web.post("/api/tasks/killed/kill", {})
        await web.end_task("job")
        news = await news_of(reader)

    assert (news["task_id"], news["news_id"]) == ("job", 1)


async def test_a_match_is_not_an_end(web: Served) -> None:
    session_id = await working_session(web, "server")
    async with web.stream("/api/stream", news="1") as reader:
        await reader.until("news_initial")
        await web.engine.tasks.match("server", WatchMatch("ERROR", "an ERROR here", 7, "it matched"), b"{}")
        news = await news_of(reader)

    assert (news["kind"], news["outcome"], news["line"]) == ("watch_match", 'printed "ERROR"', "an ERROR here")
    assert (news["pattern"], news["status"], news["session_id"]) == ("ERROR", None, session_id)


async def test_a_turn_that_fails_is_news_unless_it_is_tried_again(web: Served) -> None:
    session_id = await working_session(web, "job")
    async with web.stream("/api/stream", sessions=session_id, news="1") as reader:
        await reader.until("news_initial")
        await web.end_task("job")
        woken = (await web.shown(session_id))["active"]["turn_id"]
        web.agent.order(woken, "fail")
        frames = await reader.until("turn_completed")
        turn_id = await web.say(session_id, "again", "refuse")
        frames += await reader.until("turn_completed")
        if not any(frame.event == "news" and frame.data["kind"] == "turn_failed" for frame in frames):
            frames += await reader.until("news")

    failed = [frame.data for frame in frames if frame.event == "news" and frame.data["kind"] == "turn_failed"]
    assert [(news["turn_id"], news["code"], news["outcome"]) for news in failed] == [
        (turn_id, "model_auth", "The key is wrong.")
    ]


async def test_home_shows_what_runs_what_has_reported_and_what_is_recent(web: Served) -> None:
    building = await working_session(web, "make", "server")
    web.tasks.percent["server"] = 61
    asked = await web.new_session(title="Read the code")
    turn_id = await web.say(asked, "read", "step")
    async with web.stream("/api/chat/stream", stream_id=turn_id) as reader:
        await reader.until("tool_complete")
    await web.end_task("make", 2)
    woken = (await web.shown(building))["active"]["turn_id"]
    web.agent.order(woken, "say The build  is broken:\nfix it.")
    await web.finished(woken)
    await working_session(web, "of_bob", who="bob")

    home = (await web.get("/api/home")).json

    runs = {(work["type"], work["title"]): work for work in home["running"]}
    assert list(runs) == [("task", "Fix the build"), ("turn", "Read the code")], "in the order in which they began"
    assert runs["task", "Fix the build"]["task"]["progress"] == 61
    doing = {"turn_id": turn_id, "number": 1, "source": "user", "step": 2, "call": None}
    assert runs["turn", "Read the code"]["turn"] == doing
    (report,) = home["reported"]
    assert (report["task_id"], report["outcome"]) == ("make", "failed with exit code 2")
    assert report["woke"] == {"turn_id": woken, "number": 2, "delivered": "opened"}
    assert report["answer"] == "The build is broken: fix it."
    assert {row["session_id"] for row in home["recent"]} == {building, asked}
    answers = {row["session_id"]: row["answer"] for row in home["recent"]}
    assert answers == {building: "The build is broken: fix it.", asked: ""}


async def test_what_was_opened_is_no_longer_reported(web: Served) -> None:
    session_id = await working_session(web, "job")
    await web.engine.tasks.finish("job", TaskOutcome(TaskStatus.LOST, None, "lost"))
    (report,) = (await web.get("/api/home")).json["reported"]

    seen = {"session_id": session_id, "event_id": report["last_event_id"]}
    await web.post("/api/session/seen", seen)

    assert report["outcome"] == "was lost when the machine restarted"
    assert (await web.get("/api/home")).json["reported"] == []


async def test_home_quotes_the_beginning_of_a_long_answer(web: Served) -> None:
    answers = ["x" * 200, "x" * 197 + " " + "y" * 3, "x" * 201]
    sessions = [await web.new_session() for _ in answers]
    for session_id, answer in zip(sessions, answers, strict=True):
        await web.finished(await web.say(session_id, "hello", f"say {answer}"))

    recent = (await web.get("/api/home")).json["recent"]

    quoted = {row["session_id"]: row["answer"] for row in recent}
    assert [quoted[session_id] for session_id in sessions] == ["x" * 200, "x" * 197 + " …", "x" * 198 + " …"]
