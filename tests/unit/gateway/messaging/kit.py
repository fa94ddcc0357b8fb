"""A platform for tests: it keeps what it is sent, and answers as a test wants."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.patience import PATIENCE
from wakeful.gateway.messaging.platform import (
    Ingress,
    LookedUp,
    Message,
    NotTaken,
    Refused,
    Unanswered,
    Whereabouts,
)
from wakeful.model.messaging.post import Post
from wakeful.model.session import Address

Trouble = NotTaken | Refused | Unanswered


@dataclass
class ScriptedPlatform:
    """Does what a platform does: a request that goes unanswered may have arrived all the same."""

    name: str = "telegram"
    typing_seconds: float = 4.5
    # (chat, thread) to its messages: id and text, in order.
    chats: dict[tuple[str, str], dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    # What the next requests of a chat meet, in order; after `arrives` a message is there all the same.
    troubles: dict[str, list[Trouble]] = field(default_factory=lambda: defaultdict(list))
    arrives: bool = False
    answer: LookedUp = field(default_factory=lambda: LookedUp(Whereabouts.ABSENT))
    requests: list[tuple[str, str, Message]] = field(default_factory=list)
    # Set: requests wait for it.
    gate: asyncio.Event | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, post: Post, message: Message) -> str:
        await self._begin("send", post, message)
        trouble = self._trouble(post)
        if trouble is None or self.arrives:
            lane = self.chats[post.address.chat_id, post.address.thread_id]
            message_id = str(len(lane) + 1)
            lane[message_id] = message.text
            self.changed.set()
        if trouble is not None:
            raise trouble
        return message_id

    async def edit(self, post: Post, message: Message) -> None:
        await self._begin("edit", post, message)
        if (trouble := self._trouble(post)) is not None:
            raise trouble
        self.chats[post.address.chat_id, post.address.thread_id][post.message_id] = message.text
        self.changed.set()

    async def look_up(self, post: Post, message: Message) -> LookedUp:
        await self._begin("look_up", post, message)
        if (trouble := self._trouble(post)) is not None:
            raise trouble
        return self.answer

    async def _begin(self, kind: str, post: Post, message: Message) -> None:
        self.requests.append((kind, post.id, message))
        self.changed.set()
        if self.gate is not None:
            await self.gate.wait()

    def _trouble(self, post: Post) -> Trouble | None:
        waiting = self.troubles[post.address.chat_id]
        return waiting.pop(0) if waiting else None

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self.changed.clear()
                await self.changed.wait()

    def texts(self, chat_id: str, thread_id: str = "") -> list[str]:
        return list(self.chats[chat_id, thread_id].values())

    def lane(self, address: Address) -> str:
        return f"{address.chat_id}:{address.thread_id}"

    async def highest_id(self, address: Address) -> int:
        return len(self.chats[address.chat_id, address.thread_id])

    async def run(self, ingress: Ingress, connected: Callable[[str], None]) -> None:
        connected("bot")
        await asyncio.Event().wait()

    async def show_typing(self, address: Address, *, is_over: bool = False) -> None: ...

    async def check(self) -> list[tuple[str, str, str]]:
        return []

    async def close(self) -> None: ...
