"""Chats on messaging platforms, the posts that go out to them, who may talk there, and which node holds which door."""

from collections.abc import Collection, Sequence
from typing import Any, Protocol

from wakeful.model.messaging.chat import Chat
from wakeful.model.messaging.door import DoorStatus
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.messaging.post import Post, PostState
from wakeful.model.session import Address


class Chats(Protocol):
    async def get(self, key: str) -> Chat | None: ...

    async def put(self, chat: Chat) -> None:
        """Write a chat, or let the one with this key point to another session and bear another name."""
        ...

    async def put_if_at(self, chat: Chat, session_id: str) -> bool:
        """Write a chat that points to this session so far, or a new one if that is empty; false when the chat points
        to another session by now.
        """
        ...

    async def of_platform(self, platform: str, since: float) -> list[Chat]:
        """Return the chats that have taken in a message since then, each with the newest one and the thread that this
        one was written in. A chat whose threads share its session comes once for each thread.
        """
        ...

    async def at(self, platform: str, chat_id: str, thread_id: str | None) -> Chat | None:
        """Return the chat at this place, or that of any thread without one. Of several, the one that was used last."""
        ...

    async def of_session(self, session_id: str) -> Chat | None:
        """Return the chat whose messages go to this session now."""
        ...

    async def move(self, platform: str, old_chat_id: str, new_chat_id: str) -> None:
        """Give the chats of a group the id that its platform has given to the group: with their sessions, the posts
        that wait for it and the jobs that deliver there. Rows of turns and tasks keep where they came from.
        """
        ...

    async def take(self, address: Address, now: float) -> bool:
        """Note that the message of this address was taken in; false when it was before."""
        ...

    async def was_taken(self, address: Address) -> bool: ...

    async def last_taken(self, platform: str, chat_id: str) -> float | None:
        """Return when the newest message that is remembered was taken in."""
        ...

    async def drop_taken(self, before: float, limit: int) -> int:
        """Forget messages that were taken in before this moment, at most so many, and return how many."""
        ...


class Posts(Protocol):
    async def put(self, post: Post) -> bool:
        """Write a new post, or bring `wanted` and `details` of the one with this key up to date; false when nothing
        changed. A post that was dropped stays so.
        """
        ...

    async def get(self, post_id: str) -> Post | None: ...

    async def keyed(self, keys: Collection[str]) -> list[Post]: ...

    async def of_turn(self, turn_id: str) -> list[Post]: ...

    async def next_position(self) -> int:
        """Return a number for posts that are to go out after all others so far."""
        ...

    async def at_work(self, platform: str) -> list[Post]:
        """Return, in order, the posts of a platform that have something left to do: to be sent, looked up or edited."""
        ...

    async def soonest(self, platform: str, now: float, until: float, limit: int) -> list[Post]:
        """Return posts of a platform that are to be sent or looked up before `until`, the longest due first; and those
        that were tried after `now`, since the clock was set back.
        """
        ...

    async def change(self, post_id: str, state: PostState, expected: Collection[PostState], **values: Any) -> bool:
        """Move a post to a state and change some of its columns; false when it is in none of the expected states."""
        ...

    async def page(
        self, *, session_id: str = "", state: str = "", platform: str = "", before: int | None = None, limit: int
    ) -> list[Post]:
        """Return the newest first."""
        ...

    async def counts(self) -> dict[tuple[str, PostState], int]:
        """Return how many posts each platform has in each state but `sent` and `dropped`."""
        ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Forget posts from before this moment that were sent, refused or dropped, at most so many; return how many."""
        ...


class OutboxCursors(Protocol):
    """How far the log of each session has been made into posts."""

    async def hold(self, session_id: str) -> int:
        """Return how far, under a lock that lasts to the end of the transaction: two that make posts of one session at
        the same time would not see each other's.
        """
        ...

    async def put(self, session_id: str, seq: int) -> None: ...

    async def behind(self, platforms: Sequence[str], limit: int) -> list[str]:
        """Return sessions of these platforms with events after their cursor."""
        ...


class Pairings(Protocol):
    async def get(self, platform: str, user_id: str) -> Pairing | None: ...

    async def put(self, pairing: Pairing) -> None: ...

    async def by_code(self, code: str) -> Pairing | None: ...

    async def all(self) -> list[Pairing]: ...

    async def delete(self, platform: str, user_id: str) -> bool: ...


class PlatformDoors(Protocol):
    """Which node holds the door of each platform, how it is doing there, and what the door has to remember."""

    async def hold(self, platform: str, node: str) -> bool:
        """Take the door, if no node whose lease is good holds it; true when this node holds it afterwards."""
        ...

    async def release(self, platform: str, node: str) -> None: ...

    async def is_held_by(self, platform: str, node: str) -> bool:
        """Say so under a lock that lasts to the end of the transaction: the door cannot be taken over meanwhile."""
        ...

    async def note(self, platform: str, node: str, status: DoorStatus) -> bool:
        """Write down how the door is doing, if this node holds it; false when it does not."""
        ...

    async def status(self, platform: str) -> DoorStatus:
        """Return how the door was doing when the node that holds it, or held it last, wrote so."""
        ...

    async def memory(self, platform: str) -> dict[str, Any]: ...

    async def remember(self, platform: str, memory: dict[str, Any]) -> None:
        """Replace what the door remembers."""
        ...
