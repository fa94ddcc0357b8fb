"""Discord after a restart: the next process goes on with the session of the one before, and nothing falls between."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.platforms.discord_gateway import IDENTIFY, RESUME
from tests.platforms.discord_kit import chat_of, receiving
from tests.platforms.discord_server import DM, ROLE_ID, DiscordServer
from tests.platforms.kept_memory import KeptMemory
from tests.platforms.recording_ingress import RecordingIngress
from wakeful.model.messaging.chat import ChatKind

CHANNEL, DIRECT = "100", "300"


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> KeptMemory:
    monkeypatch.setattr("wakeful.gateway.platforms.discord.progress._KEEP_SECONDS", 0.01)
    return KeptMemory()


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        server.room(CHANNEL, name="general")
        server.room(DIRECT, DM)
        yield server


async def test_the_first_message_of_a_chat_that_died_in_our_hands_comes_again(
    server: DiscordServer, kept: KeptMemory
) -> None:
    ingress = RecordingIngress(gates={DIRECT: asyncio.Event()})
    async with receiving(server, ingress, memory=kept.memory):
        await kept.until(lambda: "gateway" in kept.values)
        await server.write(DIRECT, "Hello")
        await ingress.until(lambda: ingress.reached)
        # What is taken in later does not stand for what came before it.
        await server.write(CHANNEL, "elsewhere")
        await ingress.until(lambda: ingress.texts == ["elsewhere"])

    async with receiving(server, memory=kept.memory) as line:
        await line.ingress.until(lambda: len(line.ingress.messages) == 2)

    assert sorted(line.ingress.texts) == ["Hello", "elsewhere"]
    assert server.gateway.openings == [IDENTIFY, RESUME]


async def test_what_was_first_written_while_nothing_was_connected_comes_after_the_restart(
    server: DiscordServer, kept: KeptMemory
) -> None:
    async with receiving(server, memory=kept.memory) as line:
        await server.write(CHANNEL, "before")
        await line.ingress.first()
        await kept.until(lambda: "gateway" in kept.values)
    await server.write(DIRECT, "meanwhile")

    async with receiving(server, memory=kept.memory) as line:
        await line.ingress.until(lambda: "meanwhile" in line.ingress.texts)

    direct = line.ingress.messages[-1]
    assert (direct.kind, direct.address.chat_id) == (ChatKind.PRIVATE, DIRECT)


async def test_the_role_of_the_bot_is_known_in_a_session_that_another_process_began(
    server: DiscordServer, kept: KeptMemory
) -> None:
    async with receiving(server, memory=kept.memory):
        # Discord tells of the guild after the session has begun.
        await kept.until(lambda: kept.values.get("gateway", {}).get("roles"))

    async with receiving(server, memory=kept.memory) as line:
        await server.write(CHANNEL, f"<@&{ROLE_ID}> hello")
        await line.ingress.until(lambda: "hello" in line.ingress.texts)

    assert line.ingress.messages[-1].is_for_bot
    assert line.ingress.messages[-1].address.sender.chat_name == "general"


async def test_a_first_message_that_died_while_other_chats_read_what_they_had_missed_comes_again(
    server: DiscordServer, kept: KeptMemory
) -> None:
    seen = await server.write(CHANNEL, "seen")
    missed = await server.write(CHANNEL, "missed")
    chats = [chat_of(CHANNEL, seen)]
    ingress = RecordingIngress(gates={CHANNEL: asyncio.Event(), DIRECT: asyncio.Event()})
    async with receiving(server, ingress, chats=chats, memory=kept.memory):
        await server.write(DIRECT, "Hello")
        await server.write(CHANNEL, "live")
        await ingress.until(lambda: {CHANNEL, DIRECT} <= set(ingress.reached))
        await kept.until(lambda: "gateway" in kept.values)
    assert ingress.texts == []

    async with receiving(server, chats=chats, memory=kept.memory) as line:
        await line.ingress.until(lambda: {"Hello", "missed"} <= set(line.ingress.texts))
        await line.ingress.until(lambda: "live" in line.ingress.texts)
        await kept.until(lambda: not kept.values["gateway"]["has_missed"])

    in_channel = [message for message in line.ingress.messages if message.address.chat_id == CHANNEL]
    assert in_channel[0].address.sender.message_id == missed, "what was missed comes before what came since"
    assert server.gateway.openings == [IDENTIFY, RESUME]

    async with receiving(server, chats=chats, memory=kept.memory) as line:
        await server.write(CHANNEL, "later")
        await line.ingress.until(lambda: "later" in line.ingress.texts)
    assert _reads(server) == 2, "what was missed is not read again once it is taken in"


async def test_a_new_session_is_kept_at_once_however_lately_the_one_before_it_was(
    server: DiscordServer, kept: KeptMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.discord.progress._KEEP_SECONDS", 3600.0)
    async with receiving(server, memory=kept.memory):
        await kept.until(lambda: kept.values.get("gateway", {}).get("session") == "session-1")
        server.gateway.cut()
        server.gateway.forget()

        await kept.until(lambda: kept.values["gateway"]["session"] == "session-2")


async def test_a_session_that_discord_has_forgotten_is_begun_anew_and_what_was_missed_is_read(
    server: DiscordServer, kept: KeptMemory
) -> None:
    seen = await server.write(CHANNEL, "seen")
    async with receiving(server, memory=kept.memory):
        await kept.until(lambda: "gateway" in kept.values)
    server.gateway.forget()
    await server.write(CHANNEL, "missed")

    async with receiving(server, chats=[chat_of(CHANNEL, seen)], memory=kept.memory) as line:
        await line.ingress.until(lambda: line.ingress.texts == ["missed"])

    assert server.gateway.openings == [IDENTIFY, RESUME, IDENTIFY]


async def test_a_store_that_keeps_nothing_does_not_stop_the_line(server: DiscordServer, kept: KeptMemory) -> None:
    kept.failures = 1
    async with receiving(server, memory=kept.memory) as line:
        await server.write(CHANNEL, "Hello")
        await line.ingress.first()
        await kept.until(lambda: "gateway" in kept.values)

    assert line.ingress.texts == ["Hello"]
    assert kept.values["secret"] == "kept too"


def _reads(server: DiscordServer) -> int:
    return sum(request == f"GET /channels/{CHANNEL}/messages" for request, _ in server.requests)
