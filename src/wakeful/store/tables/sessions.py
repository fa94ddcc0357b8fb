"""Sessions, who has seen what of them, and their end."""

from collections.abc import Collection, Sequence
from typing import Protocol

from wakeful.model.session import Marks, Session, TitleOrigin


class Sessions(Protocol):
    async def create_if_absent(self, session: Session) -> bool:
        """Write a new session; false when the id is there already."""
        ...

    async def get(self, session_id: str) -> Session | None: ...

    async def change(self, session_id: str, *, title: str | None = None, model: str | None = None) -> None:
        """Give it another title, which is then its user's, or model; None leaves what is there. A changed model may
        wake again: it is no longer blocked.
        """
        ...

    async def name(self, session_id: str, title: str, origin: TitleOrigin) -> None:
        """Give it a title that its user has not chosen."""
        ...

    async def count_title_try(self, session_id: str) -> None:
        """A model is about to be asked for a title."""
        ...

    async def arrange(self, session_id: str, *, pinned: bool | None = None, archived: bool | None = None) -> None:
        """Where it stands in lists; None leaves what is there."""
        ...

    async def spend(self, session_id: str, *, input_tokens: int, output_tokens: int) -> None:
        """What an answer has cost."""
        ...

    async def rewind(self, session_id: str, *, head: str | None, checkpoint: str | None, message_count: int) -> None:
        """The next turn grows from another one than the last."""
        ...

    async def delete(self, session_id: str, purge_at: float) -> None:
        """Hide it, and purge it then. One that is hidden already keeps the earlier time."""
        ...

    async def restore_if_whole(self, session_id: str, now: float) -> bool:
        """Show it again; false when its time is over."""
        ...

    async def children(self, session_id: str) -> list[str]:
        """The sessions of its sub-agents, but those that were purged."""
        ...

    async def forgotten(self, limit: int) -> list[str]:
        """Sessions behind deleted responses, which no list shows and nothing needs: each response in them is hidden,
        nothing runs or waits there, and no conversation goes on in them.
        """
        ...

    async def delete_if_forgotten(self, session_id: str, purge_at: float) -> bool:
        """False when it is not, or not any more."""
        ...

    async def to_purge(self, now: float) -> list[str]:
        """Deleted sessions whose time is over, and of which something is left to remove."""
        ...

    async def next_purge(self) -> float | None:
        """When the next one's time is over; None when nothing waits for it."""
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
    ) -> list[Session]:
        """The sessions of an owner, or of everybody, that are listed and that no delegation works in; the one changed
        last comes first. Deleted ones are in no page, archived ones in pages of their own.

        `among`: only of these. `before`: only those that come after this (updated_at, id) in the list. `pinned`: only
        those that are, or are not.
        """
        ...

    async def wake_later(self, session_id: str, at: float | None) -> None:
        """Notices wait until then: the wake budget is used up. None: they do not."""
        ...

    async def ready(self, now: float) -> list[str]:
        """Idle sessions with rows that may open a turn now."""
        ...

    async def ready_since(self, now: float) -> float | None:
        """Since when the row has been able to open a turn that has been able to for longest; None: there is none."""
        ...

    async def next_due(self, now: float) -> float | None:
        """The next moment after `now` at which time alone makes a session ready."""
        ...


class Readers(Protocol):
    """Who has seen what, and what a list shows them."""

    async def see(self, owner: str, session_id: str, seq: int) -> None:
        """They have seen the session up to this event. It never goes back."""
        ...

    async def marks(self, owner: str, session_ids: Sequence[str], now: float) -> dict[str, Marks]:
        """What these sessions look like to this reader; those that are not there are left out."""
        ...


class Purges(Protocol):
    """The end of a deleted session, in small pieces: each may be the last before a crash."""

    async def remove_some(self, session_id: str, limit: int) -> bool:
        """Remove about so many rows of what only this session has; false when nothing of it is left."""
        ...

    async def let_go(self, session_id: str) -> None:
        """It stands on no turn any more, and has no title. Here and below, what another deleted session has kept for
        its sake is to be purged again.
        """
        ...

    async def remove_turns(
        self, session_id: str, before: tuple[float, str] | None, limit: int
    ) -> tuple[int, tuple[float, str] | None]:
        """Of its turns, newest first, look at so many that come after this (opened_at, id), and remove those that
        nothing grows from. How many went, and where to go on: None at the end.
        """
        ...

    async def give_space_back(self, pages: int) -> bool:
        """Let the file system have so much of what was removed; false when there is nothing to give back."""
        ...

    async def finish(self, session_id: str) -> bool:
        """Remove the session itself; false where turns are left, because other sessions grow from them, and it with
        them."""
        ...
