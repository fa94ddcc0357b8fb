"""News from the user's other sessions, one line each."""

import logging
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.chat.standing import Standing
from wakeful.cli.client import Client
from wakeful.cli.lists.short_id import short_id
from wakeful.cli.plain_text import one_line
from wakeful.errors import WakefulError
from wakeful.model.tasks.end_words import short_command

logger = logging.getLogger(__name__)


async def follow_elsewhere(client: Client, standing: Standing, show: Callable[[Card], None]) -> None:
    """Show the news of every session but the open one, until cancelled. A cut stream resumes where it was, so no news
    is missed.
    """
    try:
        async with aclosing(client.events("/api/stream", news="1")) as events:
            async for event in events:
                if event.name == "news" and event.data["session_id"] != standing.session_id:
                    show(news_card(event.data))
    except WakefulError as error:
        # The open session works without it.
        logger.warning("other sessions cannot be followed: %s", error)


def news_card(news: dict[str, Any]) -> Card:
    title = one_line(news["title"]) or "a session without a title"
    where = f"in “{title}” (/resume {short_id(news['session_id'])})"
    if news["kind"] == "turn_failed":
        return Card(Tone.FAILURE, f"A turn failed {where}: {one_line(news['outcome'])}")
    tone = Tone.QUESTION if news["kind"] == "approval_required" else Tone.WAKE
    return Card(tone, f"{_what(news)} {where}")


def _what(news: dict[str, Any]) -> str:
    command = f"`{one_line(short_command(news['command']))}`"
    match news["kind"]:
        case "approval_required":
            return f"You are asked before {command} runs"
        case "delegation_complete":
            return f"A sub-agent {news['outcome']}"
        case _:
            return f"{command} {one_line(news['outcome'])}"
