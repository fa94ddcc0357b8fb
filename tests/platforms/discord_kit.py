"""What tests of the Discord adapter need: an ingress that keeps what it is handed, and a line that stands."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from tests.patience import PATIENCE
from tests.platforms.discord_server import TOKEN, DiscordServer
from tests.platforms.recording_ingress import RecordingIngress
from wakeful.gateway.messaging.needs import NO_MEMORY, DoorMemory
from wakeful.gateway.messaging.platform import Message
from wakeful.gateway.messaging.settings import PlatformAccess
from wakeful.gateway.platforms.discord.adapter import DiscordPlatform, DiscordSettings
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address, Sender

COMMANDS = [("new", "begin a new conversation"), ("model", "show or choose the model")]


@dataclass
class Line:
    """A platform that receives: how often its line stood, and how it ended."""

    platform: DiscordPlatform
    ingress: RecordingIngress
    bots: list[str] = field(default_factory=list)
    job: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Return when the line stands, and raise what has kept it from standing."""
        before = len(self.bots)
        stands = asyncio.Event()

        def connected(bot: str) -> None:
            self.bots.append(bot)
            stands.set()

        self.job = asyncio.create_task(self.platform.run(self.ingress, connected))
        waiting = asyncio.create_task(stands.wait())
        await asyncio.wait([self.job, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self.job.done():
            await self.job
        assert len(self.bots) > before

    async def close(self) -> None:
        if self.job is not None:
            self.job.cancel()
            await asyncio.wait([self.job])


def settings_for(server: DiscordServer, token: str = TOKEN, timeout: float = PATIENCE) -> DiscordSettings:
    return DiscordSettings(PlatformAccess(server.url, token), timeout, retry_seconds=0.01, identify_seconds=0.0)


@asynccontextmanager
async def open_platform(
    server: DiscordServer, *, chats: Sequence[Chat] = (), token: str = TOKEN, memory: DoorMemory = NO_MEMORY
) -> AsyncIterator[DiscordPlatform]:
    async def chats_since(since: float) -> list[Chat]:
        return [chat for chat in chats if chat.last_at >= since]

    platform = DiscordPlatform(settings_for(server, token), COMMANDS, chats=chats_since, memory=memory)
    try:
        async with asyncio.timeout(PATIENCE):
            yield platform
    finally:
        await platform.close()


@asynccontextmanager
async def receiving(
    server: DiscordServer,
    ingress: RecordingIngress | None = None,
    *,
    chats: Sequence[Chat] = (),
    memory: DoorMemory = NO_MEMORY,
) -> AsyncIterator[Line]:
    async with open_platform(server, chats=chats, memory=memory) as platform:
        line = Line(platform, ingress or RecordingIngress())
        await line.open()
        try:
            yield line
        finally:
            await line.close()


async def no_chats(since: float) -> list[Chat]:
    return []


def post_to(chat_id: str, thread_id: str = "", *, reply_to: str = "", attempted_at: float | None = None) -> Post:
    address = Address("discord", chat_id, thread_id, Sender(reply_to))
    return replace(Post(new_post_id(), "key", address, PostKind.ANSWER, ""), attempted_at=attempted_at)


def words(text: str, reply_to: str = "") -> Message:
    return Message(text, reply_to=reply_to)


def chat_of(chat_id: str, last_message_id: str, thread_id: str = "", kind: ChatKind = ChatKind.GROUP) -> Chat:
    parts = ["discord", kind, chat_id, thread_id]
    key = ":".join(part for part in parts if part)
    return Chat(key, "discord", kind, chat_id, thread_id, "session", last_message_id=last_message_id, last_at=1.0)
