"""Rows of the OpenAI-compatible API: conversations and idempotency keys."""

from collections.abc import Callable

from wakeful.model.api.conversation import Conversation, IdempotencyKey
from wakeful.store.rows.row import Row, Values, values_getter

CONVERSATION_COLUMNS = ("id", "owner", "name", "session_id", "metadata", "created_at")
IDEMPOTENCY_KEY_COLUMNS = ("owner", "key", "fingerprint", "turn_id", "created_at")
conversation_values: Callable[[Conversation], Values] = values_getter(CONVERSATION_COLUMNS)
idempotency_key_values: Callable[[IdempotencyKey], Values] = values_getter(IDEMPOTENCY_KEY_COLUMNS)


def conversation_from(row: Row) -> Conversation:
    return Conversation(
        id=row["id"],
        owner=row["owner"],
        session_id=row["session_id"],
        name=row["name"],
        metadata=row["metadata"],
        created_at=row["created_at"],
    )


def idempotency_key_from(row: Row) -> IdempotencyKey:
    return IdempotencyKey(row["owner"], row["key"], row["fingerprint"], row["turn_id"], row["created_at"])
