"""A chat: a conversation on a messaging platform, and the session that it goes on in now."""

from dataclasses import dataclass
from enum import StrEnum


class ChatKind(StrEnum):
    PRIVATE = "private"
    GROUP = "group"


class SessionScope(StrEnum):
    """What gets a session of its own."""

    THREAD = "thread"
    CHAT = "chat"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Chat:
    key: str
    platform: str
    kind: ChatKind
    chat_id: str
    thread_id: str
    # The session that its messages go to; `/new` makes it another one.
    session_id: str
    name: str = ""
    # The newest message that was taken in: what came later is read after an outage.
    last_message_id: str = ""
    # When a message was last taken in.
    last_at: float = 0.0


def likely_kind(platform: str, chat_id: str) -> ChatKind:
    """Guess the kind of a chat from its id alone, before any message of it was taken in."""
    is_private = {"telegram": not chat_id.startswith("-"), "slack": chat_id.startswith("D")}.get(platform, False)
    return ChatKind.PRIVATE if is_private else ChatKind.GROUP


def chat_key(platform: str, kind: ChatKind, chat_id: str, thread_id: str, user_id: str, scope: SessionScope) -> str:
    parts = [platform, kind, chat_id]
    if thread_id and scope is not SessionScope.CHAT:
        parts.append(thread_id)
    if scope is SessionScope.USER:
        parts.append(f"@{user_id}")
    return ":".join(parts)


def group_prefix(platform: str, chat_id: str) -> str:
    """Return what the keys of all chats of a group begin with."""
    return f"{platform}:{ChatKind.GROUP}:{chat_id}"
