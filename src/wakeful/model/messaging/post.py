"""A post: one message on a messaging platform, or one webhook, from the wish to send it until that was answered."""

import os
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from wakeful.model.session import Address

# The platform of posts to receivers of webhooks.
WEBHOOK = "webhook"


class PostState(StrEnum):
    WAITING = "waiting"
    # Committed before the request is written: after a crash the request may have arrived.
    SENDING = "sending"
    # The request may have arrived: the platform is asked before anything is sent again.
    UNKNOWN = "unknown"
    SENT = "sent"
    REFUSED = "refused"
    DROPPED = "dropped"


TRANSITIONS: dict[PostState, frozenset[PostState]] = {
    PostState.WAITING: frozenset({PostState.SENDING, PostState.DROPPED}),
    PostState.SENDING: frozenset({PostState.SENT, PostState.WAITING, PostState.UNKNOWN, PostState.REFUSED}),
    PostState.UNKNOWN: frozenset({PostState.SENT, PostState.WAITING}),
    PostState.SENT: frozenset({PostState.REFUSED}),
    # Back to sent: an edit of it was refused, and is tried again.
    PostState.REFUSED: frozenset({PostState.WAITING, PostState.SENT, PostState.DROPPED}),
    PostState.DROPPED: frozenset(),
}


class PostKind(StrEnum):
    ANSWER = "answer"
    # The tool calls of a turn.
    PROGRESS = "progress"
    # Why a turn failed.
    ERROR = "error"
    # A question to a person, with buttons.
    APPROVAL = "approval"
    FILE = "file"
    # The answer to a command.
    COMMAND = "command"
    # A sentence about the server itself: a spent budget, a file that is too large, how a stranger is let in.
    REMARK = "remark"
    # A webhook: the end of a response.
    EVENT = "event"


@dataclass(frozen=True, slots=True)
class Post:
    id: str
    # The same for the same part of the same fact, so that a fact which is projected again adds nothing.
    key: str
    # Where it goes; `message_id` of the address is the message that it replies to. For a webhook the chat is the `key`
    # of its receiver, and the thread is the event.
    address: Address
    kind: PostKind
    # What it is to show, as Markdown that fits into one message of its platform; of a webhook, the body.
    wanted: str
    session_id: str | None = None
    turn_id: str | None = None
    # Posts of one chat and thread go out by `position`, then by `part`. A part that turns out too long is split:
    # parts are numbered in thousands, so that there is room between two of them.
    position: int = 0
    part: int = 0
    state: PostState = PostState.WAITING
    # What the platform shows; "" before it was sent.
    shown: str = ""
    tries: int = 0
    # The platform's id of the message, once it is known.
    message_id: str = ""
    # It may be there twice, and says so.
    is_marked: bool = False
    # Its platform has refused it as markup.
    is_plain: bool = False
    # The highest message id known before the last attempt; 0 where ids do not count up.
    highest_id: int = 0
    error: str = ""
    # It is not tried again before this time.
    not_before: float = 0.0
    attempted_at: float | None = None
    sent_at: float | None = None
    created_at: float = 0.0
    # What only some kinds have: `path` of a file, `call_id` and `choices` of a question, `calls` of the tools. The
    # writers of a post write it with `wanted`; the postman writes only the other columns.
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether later posts of its chat and thread wait for it."""
        return self.state in (PostState.WAITING, PostState.SENDING, PostState.UNKNOWN)


def new_post_id() -> str:
    """25 characters: as long as Discord lets a nonce be."""
    milliseconds = time.time_ns() // 1_000_000
    return f"post_{milliseconds:011x}{os.urandom(5).hex()[:9]}"
