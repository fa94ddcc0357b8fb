"""A session that is followed: what is asked of the server meanwhile, what goes wrong, and how it is left."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.unit.cli.chat.chat_server import ChatServer
from tests.unit.cli.chat.questions import a_question
from tests.unit.cli.chat.recording_screen import RecordingScreen
from wakeful.cli.chat import probe
from wakeful.cli.chat.followed_session import FollowedSession
from wakeful.cli.chat.narrator import Narrator
from wakeful.cli.chat.probe import keep_probing
from wakeful.cli.chat.standing import Standing
from wakeful.cli.client import RequestRefused, ServerGone


class Following:
    def __init__(self) -> None:
        self.server = ChatServer()
        self.screen = RecordingScreen()
        self.standing = Standing()
        self.changes = 0
        self.session = FollowedSession(
            self.server, Narrator(self.screen, self.standing), self.standing, self._count_change
        )

    def _count_change(self) -> None:
        self.changes += 1

    async def begin(self) -> None:
        """Begin, and wait for the first look at the snapshot."""
        await self.session.begin("ses_01aaaaaa")
        await self.server.until_asked("/api/session", times=2)

    async def hear(self, name: str, data: dict[str, Any]) -> None:
        self.server.send(name, data)
        async with asyncio.timeout(10):
            self.session.has_changed.clear()
            await self.session.has_changed.wait()


@pytest.fixture
async def following() -> AsyncIterator[Following]:
    made = Following()
    yield made
    await made.session.leave()


async def test_a_session_that_is_left_is_heard_no_more(following: Following) -> None:
    await following.begin()
    await following.hear("token", {"step": 1, "text": "Half an"})

    await following.session.leave()

    assert following.server.open_streams == []
    assert following.screen.draft.text == ""


async def test_another_session_takes_the_place_of_the_first(following: Following) -> None:
    await following.begin()
    await following.hear("server_turn_started", {"turn_id": "t1"})
    following.server.session["model"] = "openai:x"

    await following.session.begin("ses_01bbbbbb")
    await following.server.until_asked("/api/session", times=4)

    assert sorted(following.server.open_streams) == ["session", "work"]
    standing = following.standing
    assert (standing.session_id, standing.model, standing.is_busy) == ("ses_01bbbbbb", "openai:x", False)


async def test_each_session_is_marked_as_read_for_itself(following: Following) -> None:
    await following.begin()
    await following.hear("session-updated", {})
    await following.server.until_asked("/api/session/seen")

    await following.session.begin("ses_01bbbbbb")
    await following.hear("session-updated", {})
    await following.server.until_asked("/api/session/seen", times=2)

    seen = following.server.carried("/api/session/seen")
    assert seen == [{"session_id": f"ses_01{letter * 6}", "event_id": 1} for letter in "ab"]


async def test_whoever_waits_is_told_of_every_event_and_look(following: Following) -> None:
    await following.begin()
    before = following.changes

    await following.hear("server_turn_started", {"turn_id": "t1"})
    assert following.changes == before + 1
    await following.session.look()

    assert following.changes == before + 2


async def test_a_stream_that_ends_for_good_is_shown_and_raised_to_whoever_waits(following: Following) -> None:
    await following.begin()
    following.session.check()
    await following.hear("token", {"step": 1, "text": "Half an"})

    following.server.break_stream(RequestRefused(403, {"message": "Not yours."}))
    await following.screen.until_shown("Not yours.")
    await asyncio.sleep(0)

    assert following.screen.shown == ["Half an", "✗ Not yours."]
    with pytest.raises(RequestRefused, match="Not yours"):
        following.session.check()


async def test_an_event_that_cannot_be_shown_is_logged_and_raised(
    following: Following, caplog: pytest.LogCaptureFixture
) -> None:
    await following.begin()

    await following.hear("token", {"step": 1})
    await asyncio.sleep(0)

    assert "could not be shown" in caplog.text
    with pytest.raises(KeyError):
        following.session.check()


async def test_a_screen_that_is_gone_is_nothing_to_log(following: Following, caplog: pytest.LogCaptureFixture) -> None:
    await following.begin()

    def vanish(block: str) -> None:
        raise BrokenPipeError

    following.screen.show_answer = vanish  # type: ignore[method-assign]
    await following.hear("token", {"step": 1, "text": "One.\n\nTwo.\n"})
    await asyncio.sleep(0)

    assert caplog.text == ""
    with pytest.raises(BrokenPipeError):
        following.session.check()


async def test_a_look_that_fails_is_made_again_at_the_next_event(
    following: Following, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await following.begin()
    following.server.faults["/api/session"] = [ServerGone("It is gone."), RequestRefused(503, {"message": "Later."})]

    for asked in (3, 4, 5):
        following.server.session["title"] = f"Title {asked}"
        following.server.send("session-updated", {})
        await following.server.until_asked("/api/session", times=asked)

    assert following.standing.title == "Title 5"
    assert caplog.text.count("could not be fetched") == 2


async def test_whoever_waits_learns_of_a_look_before_the_session_is_marked_as_read(following: Following) -> None:
    await following.begin()
    following.server.gives.clear()
    following.server.takes.clear()
    await following.hear("session-updated", {})
    following.session.has_changed.clear()

    following.server.gives.set()

    async with asyncio.timeout(10):
        await following.session.has_changed.wait()


async def test_only_events_that_outdate_the_snapshot_lead_to_a_look(following: Following) -> None:
    await following.begin()

    await following.hear("token", {"step": 1, "text": "word"})
    await following.hear("usage", {})
    await asyncio.sleep(0)

    assert len(following.server.carried("/api/session")) == 2


async def test_what_is_shown_is_marked_as_read_once_and_not_during_an_answer(following: Following) -> None:
    await following.begin()
    await following.hear("server_turn_started", {"turn_id": "t1"})
    await following.hear("turn_started", {"turn_id": "t1"})
    await following.server.until_asked("/api/session", times=3)
    await asyncio.sleep(0)
    assert following.server.carried("/api/session/seen") == []

    await following.hear("turn_completed", {"turn_id": "t1"})
    await following.server.until_asked("/api/session/seen")
    assert following.server.carried("/api/session/seen") == [{"session_id": "ses_01aaaaaa", "event_id": 3}]
    following.session._must_look.set()
    await following.server.until_asked("/api/session", times=5)
    await asyncio.sleep(0)

    assert len(following.server.carried("/api/session/seen")) == 1


async def test_a_turn_has_ended_when_its_last_event_came_and_a_failure_is_remembered(following: Following) -> None:
    await following.begin()
    await following.hear("done", {"turn_id": "t1"})
    assert (following.session.has_ended("t1"), following.session.has_ended("t2")) == (True, False)
    has_failed = [following.session.has_failed_turns]

    await following.hear("failed", {"turn_id": "t2", "code": "x", "message": "No."})
    await following.hear("cancelled", {"turn_id": "t3", "code": "stopped"})

    assert [*has_failed, following.session.has_failed_turns] == [False, True]
    assert following.session.has_ended("t3")


async def test_a_notice_is_shown_soon_also_if_nothing_follows_it(following: Following) -> None:
    await following.begin()
    notice = {"source": "process_wakeup", "content": "[…\nOutput:\ndone]", "status": "exited", "exit_code": 0}

    await following.hear("notice", notice | {"command": "make"})
    assert following.screen.shown == []

    await following.screen.until_shown("`make` ended well")


async def test_an_event_shows_that_the_server_is_there(following: Following) -> None:
    following.standing.is_live = False

    await following.begin()

    assert following.standing.is_live is True


async def test_the_work_of_sub_agents_is_followed_too(following: Following, caplog: pytest.LogCaptureFixture) -> None:
    task = {"id": "del_1", "command": "count", "status": "running", "will_notify": True}
    following.server.snapshot["tasks"] = [task]
    await following.begin()
    work = {"tool": "terminal", "argument": "ls", "words": "", "steps": 1, "input_tokens": 0, "output_tokens": 0}

    following.server.send("initial", {}, "work")
    following.server.send("work", {"works": {"del_1": work | {"cost_usd": 0, "sub_agents": 0, "model": ""}}}, "work")
    following.server.break_stream(RequestRefused(500, {"message": "No work."}), "work")
    await following.server.until_closed("work")

    assert following.screen.work == {"del_1": "↳ count (1 step): terminal ls"}
    await asyncio.sleep(0)
    assert "sub-agents cannot be followed: No work." in caplog.text
    # The session is followed all the same.
    following.session.check()


@pytest.mark.parametrize(("status", "is_closed"), [(404, True), (409, True), (500, False)])
async def test_a_question_that_is_over_gives_way_to_the_next(
    following: Following, status: int, is_closed: bool
) -> None:
    following.server.snapshot["approvals"] = [a_question("rm", call_id=name) for name in "ab"]
    await following.begin()
    for question in following.server.snapshot["approvals"]:
        await following.hear("approval_required", question)
    following.server.faults["/api/approval/respond"] = [RequestRefused(status, {"message": "No."})]

    with pytest.raises(RequestRefused):
        await following.session.answer("a", "once")

    assert list(following.standing.approvals) == (["b"] if is_closed else ["a", "b"])
    assert len(following.screen.shown) == (2 if is_closed else 1)
    body = {"session_id": "ses_01aaaaaa", "call_id": "a", "choice": "once"}
    assert following.server.carried("/api/approval/respond") == [body]


async def test_a_message_carries_what_it_was_given(following: Following) -> None:
    await following.begin()

    assert await following.session.say("hi", "msg_1", "steer", ["att_1"]) == "turn_1"

    body = {"session_id": "ses_01aaaaaa", "message": "hi", "client_message_id": "msg_1"}
    assert following.server.carried("/api/chat/start") == [body | {"if_busy": "steer", "attachments": ["att_1"]}]


async def test_the_status_follows_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_SECONDS", 0.0)
    server, standing, told = ChatServer(), Standing(), list[bool]()
    server.faults["/health"] = [ServerGone(), RequestRefused(503, {}), ServerGone()]
    probing = asyncio.create_task(keep_probing(server, standing, lambda: told.append(standing.is_live)))

    await server.until_asked("/health", times=6)
    probing.cancel()

    assert told == [False, True]
