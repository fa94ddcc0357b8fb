"""A post as the message that its platform is asked to show."""

from pathlib import Path

from wakeful.gateway.messaging.outbox.lines import MARK
from wakeful.gateway.messaging.platform import Button, Message
from wakeful.gateway.messaging.text.form import TextForm
from wakeful.model.messaging.post import Post

_LABELS = {"once": "Once", "session": "Session", "folder": "Folder", "deny": "Deny"}


def message_of(post: Post, text: str, form: TextForm) -> Message:
    """`text` is what the post is to show now: what is wanted of it, or the words of an answer so far."""
    marked = f"{MARK}\n{text}" if post.is_marked else text
    path = post.details.get("path")
    return Message(
        text=marked if post.is_plain else form.render(marked),
        is_plain=post.is_plain,
        reply_to=post.address.sender.message_id,
        buttons=[Button(_LABELS[choice], f"{post.id}:{choice}") for choice in post.details.get("choices", ())],
        file=None if path is None else Path(path),
    )
