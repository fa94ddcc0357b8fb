"""A messaging platform on loopback as people use it, with the same words for all three."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Place:
    """Where people talk. On Slack a place without a thread in a channel is its top: each message there begins one."""

    platform: str
    chat: str
    thread: str = ""
    is_private: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot, as people see it."""

    place: Place
    id: str
    text: str
    # "" for none; on Slack always, because there the thread is what it answers.
    reply_to: str


class Messenger(Protocol):
    name: str
    # Requests that may meet trouble, and the kinds of trouble.
    troubles: Mapping[str, Sequence[StrEnum]]

    @property
    def settings(self) -> dict[str, str]:
        """Return what the server has to know, without the prefix of the platform."""
        ...

    @property
    def waiting_troubles(self) -> Mapping[str, list[Any]]:
        """Return what the next requests are to meet."""
        ...

    def places(self, count: int) -> list[Place]:
        """Open so many chats and threads."""
        ...

    def is_heard(self) -> bool:
        """Whether the server receives what is written now, even in a chat that it has never heard of."""
        ...

    async def write(self, place: Place, text: str) -> tuple[Place, str]:
        """Let a person write; return where that is answered, and the id of the message."""
        ...

    async def repeat(self, chance: random.Random) -> int:
        """Send an event once more that was sent before; return how many were."""
        ...

    async def disconnect(self, chance: random.Random) -> int:
        """Break or renew the line on which events are sent; return how many were."""
        ...

    async def mind(self) -> None:
        """Do what the platform does again and again by itself."""
        ...

    def shown(self) -> list[Shown]: ...

    def left_over(self) -> list[str]:
        """Return where people are told that an answer is being written, and nobody tells them otherwise later."""
        ...
