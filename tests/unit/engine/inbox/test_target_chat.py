"""Which chat a target names, before and after something was said there."""

import pytest

from wakeful.engine.inbox.target_chat import target_chat
from wakeful.model.messaging.chat import Chat, ChatKind, SessionScope
from wakeful.model.session import Address
from wakeful.store.base import Store

TOPIC = Address("telegram", "-100", "7")


@pytest.mark.parametrize(
    ("target", "scope", "key"),
    [
        (TOPIC, SessionScope.THREAD, "telegram:group:-100:7"),
        (TOPIC, SessionScope.USER, "telegram:group:-100:7"),
        (TOPIC, SessionScope.CHAT, "telegram:group:-100"),
        (Address("telegram", "100"), SessionScope.USER, "telegram:private:100"),
    ],
)
async def test_a_chat_in_which_nothing_was_said_is_new_and_is_not_written(
    store: Store, target: Address, scope: SessionScope, key: str
) -> None:
    chat = await store.read(lambda tx: target_chat(tx, target, scope))

    assert (chat.key, chat.chat_id, chat.thread_id, chat.session_id) == (key, target.chat_id, target.thread_id, "")
    assert await store.read(lambda tx: tx.chats.get(key)) is None


@pytest.mark.parametrize(("scope", "key"), [(SessionScope.THREAD, "topic"), (SessionScope.CHAT, "other")])
async def test_a_known_chat_is_found_by_its_thread_unless_all_threads_are_one(
    store: Store, scope: SessionScope, key: str
) -> None:
    topic = Chat("topic", "telegram", ChatKind.GROUP, "-100", "7", "s1", last_at=1.0)
    other = Chat("other", "telegram", ChatKind.GROUP, "-100", "8", "s2", last_at=2.0)
    await store.write(lambda tx: tx.chats.put(topic))
    await store.write(lambda tx: tx.chats.put(other))

    assert (await store.read(lambda tx: target_chat(tx, TOPIC, scope))).key == key
