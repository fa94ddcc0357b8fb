"""Answers as HTML while they stream: whenever a reader comes, its screen ends as the exact render."""

from typing import Any

import pytest

from tests.web.kit import Frame, Served
from wakeful.model.journal.fact import StepAbandoned, TextDelta
from wakeful.web.html.markdown import render_blocks

HTML = {"turns": "inline", "html": "1"}


def screen(frames: list[Frame], blocks: list[str] | None = None) -> list[str]:
    """Return what a page shows of the last step of these frames."""
    shown = list(blocks or [])
    for frame in frames:
        if frame.event == "answer_html":
            assert frame.data["from"] <= len(shown)
            shown = shown[: frame.data["from"]] + frame.data["blocks"]
        elif frame.event == "step_abandoned":
            shown = []
    return shown


async def test_the_screen_is_the_exact_render_at_the_end_of_a_step(web: Served) -> None:
    session_id = await web.new_session()
    web.agent.node = "# a\n\n**b**\n\n- c"
    async with web.stream("/api/session/stream", session_id=session_id, **HTML) as reader:
        turn_id = await web.say(session_id, "work", *["token"] * 20, "finish")
        frames = await reader.until("turn_completed")

    assert screen(frames) == render_blocks("# a\n\n**b**\n\n- c " * 20)
    patches = [frame for frame in frames if frame.event == "answer_html"]
    assert {(frame.data["turn_id"], frame.data["step"]) for frame in patches} == {(turn_id, 1)}
    assert [frame.data["is_final"] for frame in patches][-1] is True
    last = frames.index(patches[-1])
    assert frames[last + 1].event == "usage"
    # A reader that resumes before the event gets the patch again.
    assert patches[-1].id == frames[last - 1].id


async def test_a_reader_that_comes_in_the_middle_first_gets_all_of_it(web: Served) -> None:
    session_id = await web.new_session()
    web.agent.node = "some\n\nwords"
    async with web.stream("/api/session/stream", session_id=session_id, turns="inline") as reader:
        turn_id = await web.say(session_id, "work", "token", "token")
        text = ""
        while text != "some\n\nwords some\n\nwords ":
            text += "".join(f.data["text"] for f in await reader.until("token") if f.event == "token")
    cursor = (await web.shown(session_id))["cursor"]

    async with web.stream("/api/session/stream", session_id=session_id, last=cursor, **HTML) as reader:
        began = await reader.until("answer_html")
        web.agent.order(turn_id, "token", "finish")
        frames = await reader.until("turn_completed")

    assert began[-1].data["from"] == 0
    assert screen(began) == render_blocks(text)
    assert began[-1].id == cursor
    assert screen(frames, screen(began)) == render_blocks("some\n\nwords " * 3)


async def test_a_reader_that_was_away_gets_each_step_once(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", *["token"] * 50, "finish")
    await web.finished(turn_id)

    async with web.stream("/api/session/stream", session_id=session_id, last="0", **HTML) as reader:
        frames = await reader.until("turn_completed")

    patches = [frame.data for frame in frames if frame.event == "answer_html"]
    assert [(patch["from"], patch["is_final"]) for patch in patches] == [(0, True)]
    assert screen(frames) == render_blocks("node " * 50)


async def test_abandoned_text_is_not_patched_any_more(web: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = await web.new_session()

    async def run(brief: Any) -> Any:
        yield TextDelta(1, "wrong\n\nwords")
        yield StepAbandoned(1)
        yield TextDelta(1, "right")

    monkeypatch.setattr(web.agent, "run", run)
    async with web.stream("/api/session/stream", session_id=session_id, **HTML) as reader:
        await web.say(session_id, "work")
        frames = await reader.until("turn_completed")

    assert screen(frames) == ["<p>right</p>\n"]


async def test_html_without_turns_is_refused(web: Served) -> None:
    session_id = await web.new_session()

    reply = await web.get("/api/session/stream", session_id=session_id, html="1")

    assert (reply.status, reply.code) == (400, "invalid_request")


async def test_a_cursor_into_an_event_that_no_reader_ever_got_replays_from_the_start(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "token", "finish")
    await web.finished(turn_id)

    for cursor in ("2.1", "1.2", "1.9"):
        async with web.stream("/api/session/stream", session_id=session_id, last=cursor, turns="inline") as reader:
            frames = await reader.until("turn_completed")
        assert [frame.event for frame in frames][:3] == ["initial", "server_turn_started", "turn_started"]
    async with web.stream("/api/session/stream", session_id=session_id, last="1.1", turns="inline") as reader:
        assert [frame.event for frame in await reader.until("message")][1] == "turn_started"
