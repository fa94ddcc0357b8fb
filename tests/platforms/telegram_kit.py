"""What tests of the Telegram adapter need: an ingress that keeps what it is handed, and a line that stands."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.patience import PATIENCE
from tests.platforms.telegram_server import TOKEN, TelegramServer
from wakeful.gateway.messaging.platform import IncomingMessage, Press, PressAnswer
from wakeful.gateway.platforms.telegram.adapter import TelegramPlatform, TelegramSettings
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address, Sender

COMMANDS = [("new", "Begin a new conversation"), ("stop", "Stop what is running")]


@dataclass
class RecordingIngress:
    messages: list[IncomingMessage] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    moves: list[tuple[str, str]] = field(default_factory=list)
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
        self.moves.append((old_chat_id, new_chat_id))
        await self._tell()

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
        async with self.changed:
            await self.changed.wait_for(condition)

    async def first(self) -> IncomingMessage:
        await self.until(lambda: self.messages)
        return self.messages[0]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]


def platform_at(url: str, *, token: str = TOKEN, timeout: float = PATIENCE, **parts: Any) -> TelegramPlatform:
    return TelegramPlatform(TelegramSettings(token, url, timeout, retry_seconds=0.01), COMMANDS, **parts)


@asynccontextmanager
async def open_platform(server: TelegramServer, **parts: Any) -> AsyncIterator[TelegramPlatform]:
    platform = platform_at(server.url, **parts)
    try:
        async with asyncio.timeout(PATIENCE):
            yield platform
    finally:
        await platform.close()


@asynccontextmanager
async def receiving(platform: TelegramPlatform, ingress: RecordingIngress) -> AsyncIterator[str]:
    """Yields the name of the bot, once the line stands."""
    names: asyncio.Queue[str] = asyncio.Queue()
    job = asyncio.create_task(platform.run(ingress, names.put_nowait))
    # A line that breaks before it stands fails the test at once.
    job.add_done_callback(lambda _: names.put_nowait(""))
    try:
        name = await names.get()
        if not name:
            await job
        yield name
    finally:
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job


def a_post(chat_id: int, *, thread: int | None = None, message_id: str = "", **details: Any) -> Post:
    address = Address("telegram", str(chat_id), "" if thread is None else str(thread), Sender("55"))
    post_id = new_post_id()
    return Post(post_id, post_id, address, PostKind.ANSWER, "words", message_id=message_id, details=details)
