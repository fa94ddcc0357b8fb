"""What the store keeps for the door of a platform: its chats, its posts, its secret and its memory."""

import secrets
from collections.abc import Iterable
from typing import Any

from wakeful.gateway.messaging.needs import DoorMemory
from wakeful.model.messaging.chat import Chat
from wakeful.store.base import Store, Transaction

_RECALLED = 1000


class DoorStore:
    def __init__(self, name: str, *, node: str, store: Store) -> None:
        """`name` is the platform's, `node` this server's."""
        self._name = name
        self._node = node
        self._store = store

    @property
    def memory(self) -> DoorMemory:
        return DoorMemory(read=self._read, write=self._write)

    async def chats(self, since: float) -> list[Chat]:
        """Return the chats that have taken in a message since a moment."""
        return await self._store.read(lambda tx: tx.chats.of_platform(self._name, since))

    async def recall(self) -> Iterable[tuple[str, str]]:
        """Return (chat id, message id) of messages that were sent or taken in lately."""
        posts = await self._store.read(lambda tx: tx.posts.page(platform=self._name, limit=_RECALLED))
        known = [(chat.chat_id, chat.last_message_id) for chat in await self.chats(0.0)]
        return [*known, *((post.address.chat_id, post.message_id) for post in posts if post.message_id)]

    async def secret(self) -> str:
        """Return the secret of the door, made when it is first asked for."""

        async def body(tx: Transaction) -> str:
            memory = await tx.platform_doors.memory(self._name)
            if "secret" not in memory:
                memory["secret"] = secrets.token_urlsafe(32)
                await tx.platform_doors.remember(self._name, memory)
            secret: str = memory["secret"]
            return secret

        return await self._store.write(body)

    async def _read(self) -> dict[str, Any]:
        return await self._store.read(lambda tx: tx.platform_doors.memory(self._name))

    async def _write(self, values: dict[str, Any]) -> None:
        async def body(tx: Transaction) -> None:
            if await tx.platform_doors.is_held_by(self._name, self._node):
                await tx.platform_doors.remember(self._name, await tx.platform_doors.memory(self._name) | values)

        await self._store.write(body)
