"""Opening a session while it changes, and following it when the connection is cut."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.chat.questions import a_question
from wakeful.cli.chat.cards.card import Card
from wakeful.cli.chat.followed_session import FollowedSession, QuestionGone
from wakeful.cli.chat.narrator import Narrator
from wakeful.cli.chat.screens.screen import AnswerDraft
from wakeful.cli.chat.standing import Standing
from wakeful.cli.client import Client, RequestRefused, ServerEvent

Frame = tuple[str, dict[str, Any]]


class ScriptedClient(Client):
    """Each request for the session gets the next snapshot, each stream the next frames; the last stream stays open."""

    def __init__(self, snapshots: list[dict[str, Any]], streams: list[list[Frame]]) -> None:
        super().__init__(Path("nowhere"), "", "terminal")
        self._snapshots = snapshots
        self._streams = streams
        self.asked_after: list[str] = []
        self.refusal: RequestRefused | None = None
        self.seen: list[Mapping[str, Any]] = []
        self.has_marked = asyncio.Event()

    async def get(self, path: str, **query: str | int) -> dict[str, Any]:
        return self._snapshots.pop(0) if len(self._snapshots) > 1 else self._snapshots[0]

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        if path == "/api/session/seen":
            self.seen.append(body)
            self.has_marked.set()
            return {"ok": True}
        assert self.refusal is not None
        raise self.refusal

    async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
        if "work" in query:
            # No sub-agents run.
            await asyncio.Event().wait()
        self.asked_after.append(after)
        for number, (name, data) in enumerate(self._streams.pop(0)):
            yield ServerEvent(f"{number}~1~1" if name == "token" else str(number), name, data)
        await asyncio.Event().wait()


class Lines:
    def __init__(self) -> None:
        self.shown: list[str] = []

    def show(self, card: Card) -> None:
        self.shown.append(card.title)

    def show_answer(self, block: str) -> None:
        self.shown.append(block)

    def change_draft(self, draft: AnswerDraft) -> None:
        pass

    def change_work(self, lines: Mapping[str, str]) -> None:
        pass


def snapshot(active: str | None, *said: tuple[str, str]) -> dict[str, Any]:
    message = {"role": "user", "source": "user", "notice": None, "tool": None}
    return {
        "session": {"session_id": "ses_1", "title": "", "model": "demo:wakeful"},
        "messages": [message | {"id": f"{turn_id}.0.0", "turn_id": turn_id, "content": text} for turn_id, text in said],
        "active": {"turn_id": active} if active else None,
        "tasks": [],
        "queued": [],
        "pending_notices": [],
        "approvals": [],
        "turns": {},
        "last_event_id": 41,
        "cursor": "41",
    }


def initial(active: str | None) -> Frame:
    return "initial", {"active": {"turn_id": active} if active else None}


def said(text: str) -> Frame:
    return "message", {"content": text, "source": "user"}


def done(turn_id: str) -> Frame:
    return "done", {"turn_id": turn_id}


async def followed(client: ScriptedClient, until: str) -> Lines:
    lines, standing = Lines(), Standing()
    session = FollowedSession(client, Narrator(lines, standing), standing, lambda: None)
    await session.begin("ses_1")
    async with asyncio.timeout(5):
        while not session.has_ended(until):
            session.has_changed.clear()
            await session.has_changed.wait()
    await session.leave()
    return lines


async def test_a_model_that_answered_instead_is_named_before_its_answer() -> None:
    change = {"step": 1, "from": "a:one", "to": "b:two", "code": "model_credit", "message": "No credit."}
    known = snapshot(None, ("t1", "one"))
    answer = {"id": "t1.1.0", "turn_id": "t1", "role": "assistant", "source": "assistant", "content": "Hi."}
    known["messages"].append(answer | {"notice": None, "tool": None})
    known["turns"] = {"t1": {"number": 1, "model_changes": [change], "opened_at": "", "closed_at": None}}
    client = ScriptedClient([known], [[initial("t2"), said("two"), done("t2")]])

    lines = await followed(client, "t2")

    assert lines.shown == ["one", "b:two answers instead of a:one: No credit.", "Hi.", "two"]


async def test_an_idle_session_is_followed_from_where_it_was_looked_at() -> None:
    client = ScriptedClient([snapshot(None, ("t1", "one"))], [[initial("t2"), said("two"), done("t2")]])

    lines = await followed(client, "t2")

    assert (client.asked_after, lines.shown) == (["41"], ["one", "two"])


async def test_a_running_turn_is_shown_once_and_from_its_beginning() -> None:
    client = ScriptedClient([snapshot("t2", ("t1", "one"), ("t2", "two"))], [[initial("t2"), said("two"), done("t2")]])

    lines = await followed(client, "t2")

    assert (client.asked_after, lines.shown) == ([""], ["one", "two"])


async def test_a_turn_that_ends_between_looking_and_following_is_not_lost() -> None:
    client = ScriptedClient(
        [snapshot("t1", ("t1", "one")), snapshot(None, ("t1", "one"), ("t2", "two"))],
        [[initial("t2"), said("two")], [initial(None), said("three"), done("t3")]],
    )

    lines = await followed(client, "t3")

    assert lines.shown == ["one", "two", "three"]


async def test_a_stream_that_reconnects_shows_nothing_twice() -> None:
    asked = a_question("rm", ("rm", "deletes"))
    again = asked | {"recovered": True}
    frames = [initial("t1"), said("one"), ("approval_required", asked), initial("t1"), ("approval_required", again)]
    client = ScriptedClient([snapshot("t1")], [[*frames, done("t1")]])

    lines = await followed(client, "t1")

    assert lines.shown == ["one", "The agent asks before it runs this"]


async def test_what_was_shown_is_marked_as_read_when_the_answer_has_ended() -> None:
    words = ("token", {"turn_id": "t2", "step": 1, "text": "Well"})
    frames = [initial("t2"), said("two"), words, done("t2"), ("turn_completed", {"turn_id": "t2", "status": "done"})]
    client = ScriptedClient([snapshot("t2")], [frames])
    lines, standing = Lines(), Standing()
    session = FollowedSession(client, Narrator(lines, standing), standing, lambda: None)
    await session.begin("ses_1")
    async with asyncio.timeout(5):
        await client.has_marked.wait()
    await session.leave()

    assert client.seen == [{"session_id": "ses_1", "event_id": 4}]


async def test_a_question_that_another_client_answered_is_closed() -> None:
    client = ScriptedClient([snapshot(None)], [[]])
    client.refusal = RequestRefused(409, {"code": "already_answered", "message": "Too late."})
    standing = Standing("ses_1", approvals={"c": {"call_id": "c"}})
    session = FollowedSession(client, Narrator(Lines(), standing), standing, lambda: None)

    with pytest.raises(RequestRefused, match="Too late"):
        await session.answer("c", "once")

    assert standing.approvals == {}


async def test_an_answer_belongs_to_the_question_that_was_shown() -> None:
    client = ScriptedClient([snapshot(None)], [[]])
    client.refusal = RequestRefused(500, {"message": "It was sent."})
    standing = Standing("ses_1", approvals={"next": {"call_id": "next"}})
    session = FollowedSession(client, Narrator(Lines(), standing), standing, lambda: None)

    with pytest.raises(QuestionGone, match="had no effect"):
        await session.answer("shown", "once")

    assert list(standing.approvals) == ["next"]


async def test_of_several_questions_one_is_shown_at_a_time() -> None:
    asked = [("approval_required", a_question("rm", ("rm", "deletes"), call_id=name)) for name in "ab"]
    answered = ("approval_answered", {"call_id": "a", "choice": "once"})
    client = ScriptedClient([snapshot("t1")], [[initial("t1"), *asked, answered, done("t1")]])

    lines = await followed(client, "t1")

    question = "The agent asks before it runs this"
    assert lines.shown == [question, "Allowed once.", question]
