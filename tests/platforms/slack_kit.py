"""An ingress that keeps what it is handed, and Slack's adapter at work on a server on loopback."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.patience import PATIENCE
from tests.platforms.slack_server import APP_TOKEN, BOT_TOKEN, SlackServer
from wakeful.gateway.messaging.needs import NO_MEMORY, DoorMemory
from wakeful.gateway.messaging.platform import IncomingMessage, Message, Press, PressAnswer
from wakeful.gateway.messaging.settings import PlatformAccess
from wakeful.gateway.platforms.slack.adapter import SlackPlatform, SlackSettings
from wakeful.model.messaging.chat import Chat, ChatKind, SessionScope, chat_key
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address, Sender


@dataclass
class RecordingIngress:
    messages: list[IncomingMessage] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    # How often it fails before it takes anything.
    failures: int = 0
    tries: int = 0
    # Channels whose messages wait for the gate, and presses with them.
    held: Sequence[str] = ()
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def take(self, message: IncomingMessage) -> None:
        await self._begin(message.address.chat_id)
        self.messages.append(message)
        await self._change()

    async def press(self, press: Press) -> PressAnswer:
        await self._begin(press.address.chat_id)
        self.presses.append(press)
        await self._change()
        return PressAnswer("Approved by <you> & me.")

    async def move_chat(self, old_chat_id: str, new_chat_id: str) -> None:
        raise AssertionError("channels of Slack keep their ids")

    async def _begin(self, chat_id: str) -> None:
        self.tries += 1
        await self._change()
        if chat_id in self.held:
            await self.gate.wait()
        if self.failures:
            self.failures -= 1
            raise OSError("the disk is full")

    async def _change(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(condition)

    async def texts(self, count: int) -> list[str]:
        """Wait for so many messages, and return their words."""
        await self.until(lambda: len(self.messages) >= count)
        return [message.text for message in self.messages]


@dataclass
class Receiving:
    """An adapter that runs."""

    platform: SlackPlatform
    running: asyncio.Task[None]
    # The names that it has announced itself with.
    names: list[str]


def a_platform(
    server: SlackServer, *chats: Chat, memory: DoorMemory = NO_MEMORY, timeout: float = 30.0, **access: str
) -> SlackPlatform:
    async def known(since: float) -> list[Chat]:
        return list(chats)

    return SlackPlatform(settings_for(server, timeout, **access), known, memory)


def settings_for(server: SlackServer, timeout: float = 30.0, **access: str) -> SlackSettings:
    usual = {"api_url": f"{server.root}/api/", "token": BOT_TOKEN, "app_token": APP_TOKEN}
    return SlackSettings(PlatformAccess(**usual | access), timeout, ping_seconds=0.05, retry_seconds=0.01)


@asynccontextmanager
async def receiving(
    server: SlackServer, ingress: RecordingIngress, *chats: Chat, **changes: Any
) -> AsyncIterator[Receiving]:
    platform = a_platform(server, *chats, **changes)
    stands = asyncio.Event()
    names: list[str] = []

    def connected(name: str) -> None:
        names.append(name)
        stands.set()

    running = asyncio.create_task(platform.run(ingress, connected))
    try:
        async with asyncio.timeout(PATIENCE):
            waiting = asyncio.create_task(stands.wait())
            await asyncio.wait([waiting, running], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        yield Receiving(platform, running, names)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await platform.close()


def a_post(chat_id: str = "D1", thread_id: str = "", message_id: str = "", **details: Any) -> Post:
    address = Address("slack", chat_id, thread_id, Sender(message_id, "UANN", "Ann Lee"))
    return Post(new_post_id(), "key", address, PostKind.ANSWER, "words", **details)


def words(text: str = "words", **details: Any) -> Message:
    return Message(text, **details)


def a_chat(chat_id: str, thread_id: str, last: str, *, scope: SessionScope = SessionScope.THREAD) -> Chat:
    kind = ChatKind.PRIVATE if chat_id.startswith("D") else ChatKind.GROUP
    key = chat_key("slack", kind, chat_id, thread_id, "UANN", scope)
    return Chat(key, "slack", kind, chat_id, thread_id, "ses_1", last_message_id=last, last_at=1e12)
