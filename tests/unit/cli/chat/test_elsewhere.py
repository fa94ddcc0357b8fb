"""News of other sessions, as the chat of one session shows them."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.chat.elsewhere import follow_elsewhere, news_card
from wakeful.cli.chat.standing import Standing
from wakeful.cli.client import Client, RequestRefused, ServerEvent

NEWS: dict[str, Any] = {
    "session_id": "ses_01a1e1a86af935ec485730e84c5fc402",
    "title": "Fix the build",
    "kind": "process_complete",
    "command": "make",
    "outcome": "failed with exit code 2",
}


class NewsClient(Client):
    def __init__(self, *news: dict[str, Any]) -> None:
        super().__init__(Path("nowhere"), "", "terminal")
        self._news = news

    async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
        assert (path, query) == ("/api/stream", {"news": "1"})
        yield ServerEvent("news:0", "news_initial", {"last_news_id": 0})
        for number, news in enumerate(self._news, start=1):
            yield ServerEvent(f"news:{number}", "news", news)


@pytest.mark.parametrize(
    ("more", "tone", "words"),
    [
        ({}, Tone.WAKE, "`make` failed with exit code 2 in “Fix the build” (/resume 5fc402)"),
        ({"outcome": 'printed "ERROR"', "kind": "watch_match"}, Tone.WAKE, '`make` printed "ERROR" in “Fix the build”'),
        ({"kind": "delegation_complete", "outcome": "reported"}, Tone.WAKE, "A sub-agent reported in “Fix the build”"),
        ({"kind": "approval_required"}, Tone.QUESTION, "You are asked before `make` runs in “Fix the build”"),
        ({"kind": "turn_failed", "outcome": "No key."}, Tone.FAILURE, "A turn failed in “Fix the build” (/resume"),
        ({"title": "\x1b[2J"}, Tone.WAKE, "`make` failed with exit code 2 in “a session without a title”"),
    ],
)
def test_each_kind_of_news_is_one_line(more: dict[str, Any], tone: Tone, words: str) -> None:
    card = news_card(NEWS | more)

    assert (card.tone, card.title[: len(words)], card.lines) == (tone, words, ())


async def test_news_of_the_open_session_are_left_to_its_own_stream() -> None:
    cards: list[Card] = []
    standing = Standing(session_id="ses_open")
    client = NewsClient(NEWS | {"session_id": "ses_open"}, NEWS)

    async with asyncio.timeout(5):
        await follow_elsewhere(client, standing, cards.append)

    assert [card.title for card in cards] == [news_card(NEWS).title]


async def test_news_that_cannot_be_had_are_logged_and_the_chat_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    class Refusing(NewsClient):
        async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
            if path:
                raise RequestRefused(403, {"message": "Not yours."})
            yield ServerEvent("", "", {})

    await follow_elsewhere(Refusing(), Standing(), lambda card: None)

    assert "other sessions cannot be followed: Not yours." in caplog.text
