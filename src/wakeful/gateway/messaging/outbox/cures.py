"""What helps a post that its platform refuses for its form."""

from dataclasses import replace
from typing import Any

from wakeful.gateway.messaging.platform import Cure
from wakeful.gateway.messaging.text.form import TextForm
from wakeful.gateway.messaging.text.split import split
from wakeful.model.messaging.post import Post, PostState, new_post_id
from wakeful.model.session import NO_SENDER
from wakeful.store.base import Transaction


def cured(post: Post, cure: Cure | None) -> dict[str, Any]:
    """Return what to change in the post; nothing if no change helps."""
    if cure is Cure.PLAIN and not post.is_plain:
        return {"is_plain": True}
    if cure is Cure.NO_ANCHOR and post.address.sender != NO_SENDER:
        return {"sender": b""}
    return {}


async def halve(post: Post, form: TextForm, tx: Transaction) -> None:
    """Leave the first half in the post and the rest to new ones behind it. What has no halves is refused."""
    state = PostState.SENT if post.state is PostState.SENT else PostState.WAITING
    # This locks the row, so that nothing else writes it; more words may have come since it was read.
    await tx.posts.change(post.id, state, [post.state], error="It was too long and is sent in parts.")
    (post,) = await tx.posts.keyed([post.key])
    first, *rest = split(post.wanted, replace(form, limit=max(1, len(post.wanted) // 2)))
    if not rest:
        error = "It is too long for the platform and cannot be sent in parts."
        await tx.posts.change(post.id, PostState.REFUSED, [state], error=error)
        return
    await tx.posts.change(post.id, state, [state], wanted=first)
    # A file and buttons stay with the first part.
    details = {name: value for name, value in post.details.items() if name not in ("path", "choices")}
    for number, part in enumerate(rest, start=1):
        later = replace(post, id=new_post_id(), key=f"{post.key}/{number}", part=post.part + number, wanted=part)
        await tx.posts.put(replace(later, state=PostState.WAITING, details=details))
