"""What the OpenAI-compatible API stores beside sessions and turns."""

from typing import Protocol

from wakeful.model.api.conversation import Conversation, IdempotencyKey


class Conversations(Protocol):
    async def create_if_absent(self, conversation: Conversation) -> bool:
        """Write a conversation; false when its owner already has one with this name."""
        ...

    async def get(self, conversation_id: str) -> Conversation | None: ...

    async def named(self, owner: str, name: str) -> Conversation | None: ...

    async def of_session(self, session_id: str) -> Conversation | None: ...

    async def change(self, conversation_id: str, metadata: bytes) -> None: ...

    async def delete(self, conversation_id: str) -> None:
        """Remove the name and the id; the turns stay, because they are responses, too."""
        ...


class IdempotencyKeys(Protocol):
    async def reserve(self, key: IdempotencyKey) -> IdempotencyKey:
        """Write the key, or return the stored one with this name."""
        ...

    async def find(self, owner: str, key: str) -> IdempotencyKey | None: ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Remove at most `limit` keys whose turn ended before this time, and return how many were removed."""
        ...
