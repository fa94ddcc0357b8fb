"""The door of Discord on a real engine: from a message on Discord to the answer there, over outages and restarts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.messaging.kit import Chatting, chatting
from tests.platforms.discord_kit import settings_for
from tests.platforms.discord_server import ANN, BOT_ID, THREAD, DiscordServer, Trouble
from wakeful.gateway.platforms.discord.adapter import DiscordPlatform
from wakeful.model.messaging.chat import Chat
from wakeful.store.base import Store

CHANNEL, TALK = "100", "101"


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        server.room(CHANNEL)
        server.room(TALK, THREAD, parent_id=CHANNEL)
        yield server


async def test_a_thread_goes_on_after_a_restart_with_what_was_missed_and_each_answer_comes_once(
    server: DiscordServer, store: Store, tmp_path: Path
) -> None:
    async with chatting(store, tmp_path, a_platform(server, store), allow={ANN["id"]}) as chat:  # type: ignore[arg-type]
        await server.until(lambda: server.gateway.openings)
        first = await server.write(TALK, f"<@{BOT_ID}> Hello")
        server.troubles["POST messages"] = [Trouble.CUT_AFTER]
        await answer(chat, 1, "Hi there")
        await server.until(lambda: replies(server) == {"Hi there": first})

    missed = await server.write(TALK, "Are you back?")
    async with chatting(store, tmp_path, a_platform(server, store), allow={ANN["id"]}) as chat:  # type: ignore[arg-type]
        await answer(chat, 1, "I am")
        await server.until(lambda: "I am" in replies(server))

    assert replies(server) == {"Hi there": first, "I am": missed}
    assert server.rooms[TALK].said == ["Hi there", "I am"]
    assert server.rooms[CHANNEL].said == []


def a_platform(server: DiscordServer, store: Store) -> DiscordPlatform:
    async def chats(since: float) -> list[Chat]:
        return await store.read(lambda tx: tx.chats.of_platform("discord", since))

    return DiscordPlatform(settings_for(server), chats=chats)


async def answer(chat: Chatting, number: int, words: str) -> None:
    chat.agent.order(await chat.turn(number), f"say {words}")


def replies(server: DiscordServer) -> dict[str, str]:
    """Return what the bot said in the thread, each with the message that it replies to."""
    messages = [message for message in server.rooms[TALK].messages.values() if message["author"]["id"] == BOT_ID]
    return {message["content"]: message.get("message_reference", {}).get("message_id", "") for message in messages}
