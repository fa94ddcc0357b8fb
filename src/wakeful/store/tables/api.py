"""What the OpenAI-compatible API stores beside sessions and turns, and the queue of its webhooks."""

from typing import Protocol

from wakeful.model.conversation import Conversation, IdempotencyKey
from wakeful.model.delivery import Delivery


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


class Deliveries(Protocol):
    """Deliveries that receivers of webhooks have not got yet. They survive a restart of the process."""

    async def add_if_absent(self, delivery: Delivery, due_at: float) -> bool: ...

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        """Return deliveries that are due, the longest due first, and make them due again at `hold_until`: until then
        no other caller gets them.
        """
        ...

    async def next_due(self) -> float | None:
        """Return when the next delivery is due; None when there is none."""
        ...

    async def done(self, delivery_id: str) -> None:
        """Remove a delivery that has arrived. It is no error if the delivery does not exist, here and below."""
        ...

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        """Count a failed try, and make the delivery due at this time."""
        ...

    async def give_up(self, delivery_id: str, error: str) -> None:
        """Keep the delivery for the operator to see, never due again."""
        ...

    async def drop_given_up(self, before: float, limit: int) -> int:
        """Remove at most `limit` given-up deliveries last tried before this time, and return how many were removed."""
        ...
