"""Conversations and idempotency keys as rows."""

from wakeful.model.api.conversation import Conversation, IdempotencyKey
from wakeful.store.rows.api import (
    CONVERSATION_COLUMNS,
    IDEMPOTENCY_KEY_COLUMNS,
    conversation_from,
    conversation_values,
    idempotency_key_from,
    idempotency_key_values,
)


def test_a_conversation_comes_back_whole() -> None:
    conversation = Conversation("conv_1", "alice", "s1", "garden", b'{"a": "b"}', 10.0)

    values = conversation_values(conversation)

    assert conversation_from(dict(zip(CONVERSATION_COLUMNS, values, strict=True))) == conversation


def test_an_idempotency_key_comes_back_whole() -> None:
    key = IdempotencyKey("alice", "again", "fingerprint", "t1", 10.0)

    assert idempotency_key_from(dict(zip(IDEMPOTENCY_KEY_COLUMNS, idempotency_key_values(key), strict=True))) == key
