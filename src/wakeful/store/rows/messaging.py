"""Chats, posts, pairings and doors as rows of either database, and rows as these nouns."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import orjson

from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.session import Address, Sender
from wakeful.store.rows.row import Row, Values

CHAT = ("key", "platform", "kind", "chat_id", "thread_id", "session_id", "name", "last_message_id", "last_at")
PAIRING = ("platform", "user_id", "name", "code", "asked_at", "paired_at")
_OF_POST = (
    "id",
    "key",
    "position",
    "part",
    "kind",
    "session_id",
    "turn_id",
    "state",
    "tries",
    "message_id",
    "is_marked",
    "is_plain",
    "highest_id",
    "error",
    "not_before",
    "attempted_at",
    "sent_at",
    "created_at",
)
POST = (*_OF_POST, "platform", "chat_id", "thread_id", "sender", "wanted", "shown", "details")
_CONVERTED = ("kind", "state", "is_marked", "is_plain")
# How the columns that are not kept as they are go into the database.
_PACKED: dict[str, Callable[[Any], bytes]] = {"wanted": str.encode, "shown": str.encode, "details": orjson.dumps}

chat_values: Callable[[Chat], Values] = attrgetter(*CHAT)
pairing_values: Callable[[Pairing], Values] = attrgetter(*PAIRING)
door_status_values: Callable[[DoorStatus], Values] = attrgetter("state", "since", "bot", "error")
_plain_post_values: Callable[[Post], Values] = attrgetter(*_OF_POST)


def post_values(post: Post) -> Values:
    address = post.address
    where = (address.platform, address.chat_id, address.thread_id, address.sender.packed)
    return (*_plain_post_values(post), *where, *packed_columns(post, ("wanted", "shown", "details")))


def packed_columns(post: Post, columns: Sequence[str]) -> Values:
    return tuple(packed(column, getattr(post, column)) for column in columns)


def packed(column: str, value: object) -> object:
    """Return the value of a post's column as the database keeps it."""
    return _PACKED[column](value) if column in _PACKED else value


def post_from(row: Row) -> Post:
    return Post(
        **{column: row[column] for column in _OF_POST if column not in _CONVERTED},
        kind=PostKind(row["kind"]),
        state=PostState(row["state"]),
        is_marked=bool(row["is_marked"]),
        is_plain=bool(row["is_plain"]),
        address=Address(row["platform"], row["chat_id"], row["thread_id"], Sender.unpacked(row["sender"])),
        wanted=row["wanted"].decode(),
        shown=row["shown"].decode(),
        details=orjson.loads(row["details"]),
    )


def chat_from(row: Row) -> Chat:
    return Chat(**{column: row[column] for column in CHAT if column != "kind"}, kind=ChatKind(row["kind"]))


def pairing_from(row: Row) -> Pairing:
    return Pairing(**{column: row[column] for column in PAIRING})


def door_status_from(row: Row) -> DoorStatus:
    return DoorStatus(DoorState(row["state"]), row["since"], row["bot"], row["error"])
