"""What the OpenAI-compatible API keeps beside sessions and turns, and the queue of its webhooks."""

from typing import Protocol

from wakeful.model.conversation import Conversation, IdempotencyKey
from wakeful.model.delivery import Delivery


class Conversations(Protocol):
    async def create_if_absent(self, conversation: Conversation) -> bool:
        """False when its owner has one of this name already."""
        ...

    async def get(self, conversation_id: str) -> Conversation | None: ...

    async def named(self, owner: str, name: str) -> Conversation | None: ...

    async def of_session(self, session_id: str) -> Conversation | None: ...

    async def change(self, conversation_id: str, metadata: bytes) -> None: ...

    async def delete(self, conversation_id: str) -> None:
        """The name and the id are gone; the turns stay, for the responses that they are."""
        ...


class IdempotencyKeys(Protocol):
    async def reserve(self, key: IdempotencyKey) -> IdempotencyKey:
        """Write the key down, or find the one that was there first."""
        ...

    async def find(self, owner: str, key: str) -> IdempotencyKey | None: ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Forget keys whose turn has ended before this moment, at most so many, and say how many they were."""
        ...


class Deliveries(Protocol):
    """What is owed to receivers of webhooks. A row outlives the process that wrote it."""

    async def add_if_absent(self, delivery: Delivery, due_at: float) -> bool: ...

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        """Hand out what is due, the longest due first, and make it due again at `hold_until`: nobody else gets it
        meanwhile."""
        ...

    async def next_due(self) -> float | None:
        """None when nothing waits."""
        ...

    async def done(self, delivery_id: str) -> None:
        """It has arrived and is forgotten. One that is not there is no error, here and below."""
        ...

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        """A try has failed, which is counted."""
        ...

    async def give_up(self, delivery_id: str, error: str) -> None:
        """It stays for people to look at, and is never due again."""
        ...

    async def drop_given_up(self, before: float, limit: int) -> int:
        """Forget what was given up and last tried before this moment, at most so much, and say how much it was."""
        ...
