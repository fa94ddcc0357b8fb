"""What a store keeps for a door, whichever node opens it."""

from functools import partial

from wakeful.gateway.messaging.door_store import DoorStore
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address
from wakeful.store.base import Store, Transaction


async def test_the_secret_of_a_door_is_made_once_and_is_its_own(store: Store) -> None:
    first = await DoorStore("telegram", node="node_1", store=store).secret()

    assert len(first) == 43
    assert await DoorStore("telegram", node="node_2", store=store).secret() == first
    assert await DoorStore("slack", node="node_1", store=store).secret() != first


async def test_only_the_node_that_holds_a_door_adds_to_its_memory(store: Store) -> None:
    mine, others = (DoorStore("telegram", node=node, store=store) for node in ("node_1", "node_2"))
    secret = await mine.secret()
    await store.write(lambda tx: tx.platform_doors.hold("telegram", "node_1"))

    await mine.memory.write({"offset": 5, "webhook": "set"})
    await others.memory.write({"offset": 4})
    await mine.memory.write({"offset": 6})

    assert await others.memory.read() == {"secret": secret, "offset": 6, "webhook": "set"}
    assert await DoorStore("slack", node="node_1", store=store).memory.read() == {}


async def test_messages_that_were_sent_or_taken_in_are_recalled(store: Store) -> None:
    def a_post(name: str, platform: str, message_id: str) -> Post:
        return Post(name, name, Address(platform, "1"), PostKind.ANSWER, "words", message_id=message_id)

    for post in (a_post("a", "telegram", "55"), a_post("b", "telegram", ""), a_post("c", "slack", "56")):
        await store.write(partial(_put, post))

    chat = Chat("telegram:2", "telegram", ChatKind.PRIVATE, "2", "", "ses_1", last_message_id="70", last_at=5.0)
    await store.write(lambda tx: tx.chats.put(chat))
    kept = DoorStore("telegram", node="node_1", store=store)

    assert list(await kept.recall()) == [("2", "70"), ("1", "55")]
    assert (await kept.chats(5.0), await kept.chats(6.0)) == ([chat], [])


async def _put(post: Post, tx: Transaction) -> None:
    await tx.posts.put(post)
