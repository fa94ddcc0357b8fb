"""What tests of the Discord adapter need: an ingress that keeps what it is handed, and a line that stands."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from tests.patience import PATIENCE
from tests.platforms.discord_server import TOKEN, DiscordServer
from wakeful.gateway.messaging.platform import IncomingMessage, Message, Press, PressAnswer
from wakeful.gateway.platforms.discord.adapter import DiscordPlatform, DiscordSettings
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address, Sender

COMMANDS = [("new", "begin a new conversation"), ("model", "show or choose the model")]


@dataclass
class RecordingIngress:
    messages: list[IncomingMessage] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    # How many times it fails before it takes something in.
    failures: int = 0
    # Messages of these chats, and presses in them, wait for their event.
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    # Chats whose messages have come as far as the gate.
    reached: list[str] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def take(self, message: IncomingMessage) -> None:
        await self._pass(message.address.chat_id)
        self.messages.append(message)
        await self._tell()

    async def press(self, press: Press) -> PressAnswer:
        await self._pass(press.address.chat_id)
        self.presses.append(press)
        await self._tell()
        return PressAnswer("Approved.")

    async def move_chat(self, old_chat_id: str, new_chat_id: str) -> None:
        raise AssertionError("groups on Discord keep their ids")

    async def _pass(self, chat_id: str) -> None:
        self.reached.append(chat_id)
        await self._tell()
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the store is away")
        if chat_id in self.gates:
            await self.gates[chat_id].wait()

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE), self.changed:
            await self.changed.wait_for(condition)

    async def first(self) -> IncomingMessage:
        await self.until(lambda: self.messages)
        return self.messages[0]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]


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


def settings_for(server: DiscordServer, token: str = TOKEN) -> DiscordSettings:
    return DiscordSettings(token, server.url, retry_seconds=0.01, identify_seconds=0.0)


@asynccontextmanager
async def open_platform(
    server: DiscordServer, *, chats: Sequence[Chat] = (), token: str = TOKEN
) -> AsyncIterator[DiscordPlatform]:
    async def chats_since(since: float) -> list[Chat]:
        return [chat for chat in chats if chat.last_at >= since]

    platform = DiscordPlatform(settings_for(server, token), COMMANDS, chats=chats_since)
    try:
        async with asyncio.timeout(PATIENCE):
            yield platform
    finally:
        await platform.close()


@asynccontextmanager
async def receiving(
    server: DiscordServer, ingress: RecordingIngress | None = None, *, chats: Sequence[Chat] = ()
) -> AsyncIterator[Line]:
    async with open_platform(server, chats=chats) as platform:
        line = Line(platform, ingress or RecordingIngress())
        await line.open()
        try:
            yield line
        finally:
            await line.close()


def post_to(chat_id: str, thread_id: str = "", *, reply_to: str = "", attempted_at: float | None = None) -> Post:
    address = Address("discord", chat_id, thread_id, Sender(reply_to))
    return replace(Post(new_post_id(), "key", address, PostKind.ANSWER, ""), attempted_at=attempted_at)


def words(text: str, reply_to: str = "") -> Message:
    return Message(text, reply_to=reply_to)


def chat_of(chat_id: str, last_message_id: str, thread_id: str = "", kind: ChatKind = ChatKind.GROUP) -> Chat:
    parts = ["discord", kind, chat_id, thread_id]
    key = ":".join(part for part in parts if part)
    return Chat(key, "discord", kind, chat_id, thread_id, "session", last_message_id=last_message_id, last_at=1.0)
