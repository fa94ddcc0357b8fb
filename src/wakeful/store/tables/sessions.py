"""Sessions, what their owner has seen of them, and their removal."""

from collections.abc import Collection, Sequence
from typing import Protocol

from wakeful.model.session import Marks, Session, TitleOrigin, WakeReason


class Sessions(Protocol):
    async def create_if_absent(self, session: Session) -> bool:
        """Write a new session; false when there is one with this id."""
        ...

    async def get(self, session_id: str) -> Session | None: ...

    async def change(
        self, session_id: str, *, title: str | None = None, model: str | None = None, mode: str | None = None
    ) -> None:
        """Change the title, which then counts as the user's, the model or the mode; None keeps it. Changing the
        model unblocks the session: it may wake again.
        """
        ...

    async def name(self, session_id: str, title: str, origin: TitleOrigin) -> None:
        """Set a title that the user has not chosen."""
        ...

    async def count_title_try(self, session_id: str) -> None:
        """Count one more request to a model for a title."""
        ...

    async def arrange(self, session_id: str, *, pinned: bool | None = None, archived: bool | None = None) -> None:
        """Pin, archive or undo either; None keeps what is set."""
        ...

    async def set_todo(self, session_id: str, todo: bytes) -> None:
        """Store the agent's list of what is to be done, see model/tools/todo.py."""
        ...

    async def rewind(self, session_id: str, *, head: str | None, checkpoint: str | None, message_count: int) -> None:
        """Let the next turn grow from `head` instead of the last turn."""
        ...

    async def delete(self, session_id: str, purge_at: float) -> None:
        """Hide a session until it is purged at this time. If it is hidden already, the earlier time counts."""
        ...

    async def restore_if_whole(self, session_id: str, now: float) -> bool:
        """Undo a deletion; false when the time to purge has come."""
        ...

    async def children(self, session_id: str) -> list[str]:
        """Return the sessions of its sub-agents that were not purged."""
        ...

    async def forgotten(self, limit: int) -> list[str]:
        """Return unlisted sessions that only deleted responses were made in: every response in them is hidden, nothing
        runs or waits there, and no conversation uses them.
        """
        ...

    async def delete_if_forgotten(self, session_id: str, purge_at: float) -> bool:
        """Delete a session that forgotten() returned; false if it is needed by now."""
        ...

    async def to_purge(self, now: float) -> list[str]:
        """Return deleted sessions that are due to be purged and have something left to remove."""
        ...

    async def next_purge(self) -> float | None:
        """Return when the next deleted session is due to be purged; None when there is none."""
        ...

    async def page(
        self,
        owner: str | None,
        *,
        among: Collection[str] | None = None,
        before: tuple[float, str] | None = None,
        limit: int,
        archived: bool = False,
        pinned: bool | None = None,
        key: str = "",
    ) -> list[Session]:
        """Return the listed sessions of an owner, or of all owners, last changed first. Sessions of delegations and
        deleted ones are left out; `archived` returns the archived ones instead of the others.

        `among` limits the page to these ids, `before` to sessions that come after this (updated_at, id) in the list,
        `pinned` to sessions that are pinned, or are not, and `key` to those that belong or belonged to this chat.
        """
        ...

    async def wake_later(self, session_id: str, at: float | None, reason: WakeReason = WakeReason.BUDGET) -> None:
        """Let notices wait until this time, because something is used up; None: they stop waiting. For a day's spend,
        messages of schedules and hooks wait, too.
        """
        ...

    async def end_spend_waits(self) -> None:
        """Let nothing wait for a day's spend any more."""
        ...

    async def ready(self, now: float) -> list[str]:
        """Return idle sessions with rows that may open a turn now."""
        ...

    async def ready_since(self, now: float) -> float | None:
        """Return since when the longest-ready row has been able to open a turn; None if no row is ready."""
        ...

    async def next_due(self, now: float) -> float | None:
        """Return the next time after `now` at which a session becomes ready without a write."""
        ...


class Readers(Protocol):
    """How far each reader has seen each session, and what a list shows them."""

    async def see(self, owner: str, session_id: str, seq: int) -> None:
        """Note that the reader has seen the session up to this event; an older event changes nothing."""
        ...

    async def marks(self, owner: str, session_ids: Sequence[str], now: float) -> dict[str, Marks]:
        """Return the marks of these sessions for this reader; sessions that do not exist are left out."""
        ...


class Purges(Protocol):
    """Removes a deleted session in small steps, so that a crash between two of them does no harm."""

    async def remove_some(self, session_id: str, limit: int) -> bool:
        """Remove about `limit` rows that belong to this session alone; false when none are left."""
        ...

    async def let_go(self, session_id: str) -> None:
        """Clear the session's head and title. Other deleted sessions that kept turns for its sake are due to be purged
        again, here and below.
        """
        ...

    async def remove_turns(
        self, session_id: str, before: tuple[float, str] | None, limit: int
    ) -> tuple[int, tuple[float, str] | None]:
        """Look at up to `limit` of its turns, newest first, after this (opened_at, id), and remove those that nothing
        grows from. Return how many were removed, and the position to continue from; None at the end.
        """
        ...

    async def give_space_back(self, pages: int) -> bool:
        """Return up to so many free pages to the file system; false when there are none."""
        ...

    async def finish(self, session_id: str) -> bool:
        """Remove the session's row; false if the session and some of its turns stay, because other sessions grow from
        them.
        """
        ...
