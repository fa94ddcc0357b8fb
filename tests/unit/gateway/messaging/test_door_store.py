"""What the store keeps for a door: of its own platform alone, and written by the node that holds it."""

from wakeful.gateway.messaging.door_store import DoorStore
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.session import Address
from wakeful.store.base import Store, Transaction


def door(store: Store, name: str = "telegram", node: str = "node_1") -> DoorStore:
    return DoorStore(name, node=node, store=store)


async def fill(tx: Transaction) -> None:
    for platform, chat_id, last, at in (
        ("telegram", "1", "11", 100.0),
        ("telegram", "2", "22", 50.0),
        ("slack", "3", "33", 100.0),
    ):
        key = f"{platform}:private:{chat_id}"
        await tx.chats.put(Chat(key, platform, ChatKind.PRIVATE, chat_id, "", "s1", "", last, at))
    for number, (platform, message_id) in enumerate((("telegram", "44"), ("telegram", ""), ("slack", "55"))):
        post = Post(f"p{number}", f"k{number}", Address(platform, "9"), PostKind.ANSWER, "words", message_id=message_id)
        await tx.posts.put(post)
        if message_id:
            await tx.posts.change(post.id, PostState.SENT, [PostState.WAITING], message_id=message_id)


async def test_the_chats_of_the_platform_since_a_moment(store: Store) -> None:
    await store.write(fill)

    assert [chat.chat_id for chat in await door(store).chats(60.0)] == ["1"]
    assert sorted(chat.chat_id for chat in await door(store).chats(0.0)) == ["1", "2"]


async def test_the_messages_that_are_known_are_those_taken_in_and_those_sent(store: Store) -> None:
    await store.write(fill)

    assert sorted(await door(store).recall()) == [("1", "11"), ("2", "22"), ("9", "44")]


async def test_a_secret_is_made_once_and_is_each_doors_own(store: Store) -> None:
    first, again = await door(store).secret(), await door(store, node="node_2").secret()

    assert (first == again, len(first) >= 32) == (True, True)
    assert await door(store, "slack").secret() != first


async def test_values_are_added_to_the_others_by_the_node_that_holds_the_door(store: Store) -> None:
    await store.write(lambda tx: tx.platform_doors.hold("telegram", "node_1"))
    secret = await door(store).secret()
    await door(store).memory.write({"a": 1})
    await door(store, node="node_2").memory.write({"a": 2})
    await door(store).memory.write({"b": 3})

    assert await door(store).memory.read() == {"secret": secret, "a": 1, "b": 3}
