"""What a typed line does when the server is gone for a moment, or refuses it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest

from wakeful.cli.chat import talk as talking
from wakeful.cli.chat.cards.card import Card
from wakeful.cli.chat.screens.screen import AnswerDraft
from wakeful.cli.chat.talk import Talk
from wakeful.cli.client import Client, RequestRefused, ServerEvent, ServerGone
from wakeful.errors import WakefulError

_USAGE = {
    "context_tokens": 7,
    "context_window": 100,
    "compact_at_tokens": 80,
    "input_tokens": 7,
    "output_tokens": 3,
    "cost_usd": 0.5,
    "unpriced_tokens": 0,
}


class FaultyClient(Client):
    """Messages meet these faults first, in this order; then they are accepted."""

    def __init__(self, *faults: WakefulError) -> None:
        super().__init__(Path("nowhere"), "", "terminal")
        self._faults = list(faults)
        self.posted: list[tuple[str, Mapping[str, Any]]] = []

    async def get(self, path: str, **query: str | int) -> dict[str, Any]:
        if path == "/api/me":
            return {"mode": "accept_edits"}
        if path == "/api/usage":
            day = {"cost_usd": 2.1}
            return {"days": [day], "spent_today_usd": 2.1, "cap_usd": None, "hard_cap_usd": None, "state": "ok"}
        session: dict[str, Any] = {"session_id": "ses_1", "title": "", "model": "demo:wakeful", "usage": _USAGE}
        known: dict[str, Any] = {"session": session, "messages": [], "active": None, "cursor": "0"}
        return known | {"tasks": [], "queued": [], "pending_notices": [], "approvals": [], "turns": {}}

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        self.posted.append((path, body))
        if path == "/api/session/new":
            return {"session_id": "ses_1"}
        if self._faults:
            raise self._faults.pop(0)
        return {"turn_id": "turn_1"}

    async def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        self.posted.append((path, body))
        return {}

    async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
        yield ServerEvent("0", "initial", {"active": None})
        await asyncio.Event().wait()


class Titles:
    def __init__(self) -> None:
        self.shown: list[str] = []

    def show(self, card: Card) -> None:
        self.shown.append(card.title)

    def show_answer(self, block: str) -> None: ...

    def change_draft(self, draft: AnswerDraft) -> None: ...

    def change_work(self, lines: Mapping[str, str]) -> None: ...


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talking, "_RETRY_SECONDS", 0.001)


async def take(client: FaultyClient, *lines: str) -> tuple[list[str | None], list[str]]:
    screen = Titles()
    talk = Talk(client, screen, model="", workspace="/tmp")
    turns = [await talk.take(line) for line in lines]
    await talk.session.leave()
    return turns, screen.shown


def messages(client: FaultyClient) -> list[Mapping[str, Any]]:
    return [body for path, body in client.posted if path == "/api/chat/start"]


async def test_a_message_that_is_sent_again_is_the_same_message() -> None:
    client = FaultyClient(ServerGone(), RequestRefused(503, {"message": "stopping"}))

    turns, shown = await take(client, "hello")

    assert (turns, shown) == (["turn_1"], [])
    assert len(messages(client)) == 3
    assert len({body["client_message_id"] for body in messages(client)}) == 1


async def test_two_messages_of_the_same_words_are_two() -> None:
    client = FaultyClient()

    await take(client, "hello", "hello")

    assert len({body["client_message_id"] for body in messages(client)}) == 2
    assert [path for path, _ in client.posted].count("/api/session/new") == 1


async def test_a_refusal_is_shown_and_not_tried_again() -> None:
    client = FaultyClient(RequestRefused(400, {"message": "Not so."}))

    turns, shown = await take(client, "hello")

    assert (turns, shown, len(messages(client))) == ([None], ["Not so."], 1)


async def test_lines_that_begin_with_a_mark_steer() -> None:
    client = FaultyClient()

    await take(client, "!left", "/steer right", "straight on")

    assert [(body["message"], body["if_busy"]) for body in messages(client)] == [
        ("left", "steer"),
        ("right", "steer"),
        ("straight on", "queue"),
    ]


async def test_no_session_is_made_before_there_is_something_to_say() -> None:
    client = FaultyClient()

    _, shown = await take(client, "/help", "/tasks", "/model", "/stop", "/branch", "/compact", "/nonsense")

    assert client.posted == []
    assert shown[-1] == "There is no command /nonsense. /help shows all of them."


async def test_the_use_of_a_session_is_shown_on_request() -> None:
    _, shown = await take(FaultyClient(), "/usage", "hello", "/usage")

    assert shown[0] == "Today, in all sessions: $2.10."
    assert shown[-1].startswith("Context: 7 of 100 tokens")


async def test_a_conversation_is_summed_up_with_the_words_that_say_what_matters() -> None:
    client = FaultyClient()

    await take(client, "hello", "/compact", "/compact the file names")

    asked = [body for path, body in client.posted if path == "/api/session/compact"]
    assert asked == [{"session_id": "ses_1"}, {"session_id": "ses_1", "focus": "the file names"}]


async def test_a_mode_that_is_chosen_first_is_that_of_the_next_session_and_then_it_is_changed() -> None:
    client = FaultyClient()

    _, shown = await take(client, "/mode", "/mode sudo", "/mode read_only", "hello", "/mode ask")

    assert shown[0].startswith("The mode is accept_edits.")
    assert shown[1].startswith("There is no mode sudo: it is one of read_only, ask, accept_edits, everything")
    assert dict(client.posted)["/api/session/new"] == {"workspace": "/tmp", "mode": "read_only"}
    assert dict(client.posted)["/api/session"] == {"session_id": "ses_1", "mode": "ask"}
