"""Posts of the server itself about one message: the answer to a command or a stranger, a file or message not taken."""

from collections.abc import Sequence

from wakeful.gateway.messaging.platform import IncomingMessage
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Session
from wakeful.store.base import Transaction


def refusal_text(reason: str) -> str:
    return f"I cannot take messages just now: {reason}"


async def put_remarks(
    tx: Transaction, message: IncomingMessage, session: Session | None, remarks: Sequence[str]
) -> None:
    session_id = None if session is None else session.id
    for number, text in enumerate(remarks):
        await tx.posts.put(await post_about(tx, message, PostKind.REMARK, text, session_id, f"remark{number}"))


async def post_about(
    tx: Transaction, message: IncomingMessage, kind: PostKind, text: str, session_id: str | None, name: str
) -> Post:
    """Return a post that answers a message, and in a group replies to it."""
    address = message.address
    return Post(
        new_post_id(),
        f"{name}:{address.platform}:{address.chat_id}:{address.sender.message_id}",
        address if message.kind is ChatKind.GROUP else address.without_anchor(),
        kind,
        text,
        session_id,
        position=await tx.posts.next_position(),
        created_at=await tx.now(),
    )
