"""Posts of the server itself about a message: where they go, and what they are known by."""

import pytest

from tests.messaging.kit import a_message
from wakeful.gateway.messaging.inbound.remarks import post_about, put_remarks, refusal_text
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.post import PostKind
from wakeful.store.base import Store


@pytest.mark.parametrize(("kind", "replied_to"), [(ChatKind.GROUP, "5"), (ChatKind.PRIVATE, "")])
async def test_a_post_about_a_message_replies_to_it_in_a_group_alone(
    store: Store, kind: ChatKind, replied_to: str
) -> None:
    message = a_message("Hello", "5", kind=kind, thread_id="t")

    post = await store.write(lambda tx: post_about(tx, message, PostKind.COMMAND, "Done.", "s1", "command"))

    address = post.address
    assert (address.chat_id, address.thread_id, address.sender.message_id) == ("1", "t", replied_to)
    assert (post.key, post.kind, post.wanted, post.session_id) == (
        "command:telegram:1:5",
        PostKind.COMMAND,
        "Done.",
        "s1",
    )
    assert post.created_at > 0


async def test_remarks_about_one_message_are_posts_in_their_order(store: Store) -> None:
    message = a_message("Hello", "5")

    for _ in range(2):
        await store.write(lambda tx: put_remarks(tx, message, None, ["first", "second"]))

    posts = await store.read(lambda tx: tx.posts.page(limit=10))
    posts.sort(key=lambda post: post.position)
    assert [(post.wanted, post.kind, post.session_id) for post in posts] == [
        ("first", PostKind.REMARK, None),
        ("second", PostKind.REMARK, None),
    ]
    assert [post.key for post in posts] == ["remark0:telegram:1:5", "remark1:telegram:1:5"]


def test_a_refusal_says_why() -> None:
    assert refusal_text("the disk is full.") == "I cannot take messages just now: the disk is full."
