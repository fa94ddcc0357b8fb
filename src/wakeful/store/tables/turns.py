"""Turns, the inbox that opens them, and the nodes that run them."""

from collections.abc import Sequence
from typing import Protocol

from wakeful.model.inbox import InboxRow
from wakeful.model.turn import Lease, Turn
from wakeful.model.words import Said


class Turns(Protocol):
    async def get(self, turn_id: str) -> Turn | None: ...

    async def hide(self, turn_id: str) -> None:
        """Hide a turn that its client has deleted. Turns that grew from it stay."""
        ...

    async def chain(self, turn_id: str, limit: int) -> list[Turn]:
        """Return the turn and its ancestors, newest first, `limit` at most."""
        ...

    async def require(self, lease: Lease) -> Turn:
        """Return the running turn of this lease. Raises LeaseLost when it was closed or taken over."""
        ...

    async def last_asked(self, session_id: str) -> float:
        """Return when the newest turn opened that a person has asked for in this session; 0 if there is none."""
        ...

    async def mark_recorded(self, turn_id: str) -> None:
        """Reset the count of resumes, because a step was recorded."""
        ...

    async def grown_from(self, turn_id: str) -> list[str]:
        """Return the ids of the turn and of all turns that have grown from it, in whatever session."""
        ...

    async def begin_context(self, turn_ids: Sequence[str], first: str | None) -> None:
        """Let the context of these turns and of those that will grow from them begin with the turn `first`; None: with
        the conversation.
        """
        ...

    async def reserve(self, lease: Lease, pieces: int) -> None:
        """Set how many pieces of an answer may be shown before it is recorded. Raises LeaseLost."""
        ...

    async def take_over_if_running(self, turn_id: str, epoch: int, node: str) -> Turn | None:
        """Give the turn to `node` with the next epoch and count the resume; None if the epoch has changed already."""
        ...

    async def said_elsewhere(self, turn_id: str, base: int) -> tuple[int, Said] | None:
        """Return the step and the words that another node has shared after this event, up to the first gap."""
        ...

    async def taken_from(self, node: str) -> list[Turn]:
        """Return running turns that were taken over because this node's lease had expired."""
        ...

    async def take_resume_back(self, turn_id: str, node: str, *, limit: int) -> None:
        """Uncount the resume of a turn that was taken from this node, which had not crashed. `limit` is how often this
        may happen before the turn records another step.
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Give the turn up to the first node that takes it, without counting a resume."""
        ...

    async def orphans(self, now: float, *, keeper: str | None) -> list[Turn]:
        """Return running turns whose node's lease has expired; with `keeper`, all that are not this node's."""
        ...

    async def running_on(self, node: str) -> list[Turn]: ...

    async def running_of(self, owner: str) -> list[Turn]:
        """Return the running turns of the owner's listed sessions, in the order of their start."""
        ...

    async def recent(self, session_id: str, limit: int) -> list[Turn]:
        """Return the newest turns of a session, newest first, including those of abandoned branches."""
        ...

    async def keep_system_prompt(self, session_id: str, packed: bytes) -> None:
        """Store the prompt of the session's running turn, see model/system_prompt.py, instead of the last turn's."""
        ...

    async def system_prompt(self, session_id: str) -> bytes | None: ...


class Inbox(Protocol):
    async def post_if_new(self, row: InboxRow) -> bool:
        """Add a row; false when the session has one with its dedupe key. The store gives the row its id."""
        ...

    async def find(self, session_id: str, dedupe_key: str) -> InboxRow | None: ...

    async def find_by_turn(self, turn_id: str) -> InboxRow | None:
        """Return the row that was accepted with this turn id."""
        ...

    async def pending(self, session_id: str) -> list[InboxRow]:
        """Return the pending rows in the order of arrival."""
        ...

    async def claim(self, row_ids: Sequence[int], turn_id: str) -> None:
        """Mark rows as claimed by a turn, and drop their texts, which its journal has."""
        ...

    async def withdraw_if_pending(self, session_id: str, dedupe_key: str) -> bool: ...

    async def empty_taken(self, limit: int) -> int:
        """Drop the texts that an older version left in claimed rows. Looks at up to `limit` rows, and returns at how
        many.
        """
        ...


class Nodes(Protocol):
    async def renew(self, node: str, lease_until: float, *, host: str) -> None:
        """Renew a node's lease, and note that its host is up."""
        ...

    async def retire(self, node: str) -> None: ...

    async def cut_off_dead(self) -> int:
        """End the database connections of nodes whose lease has expired, with their locks, and return how many there
        were. Raises StoreReadOnly where the database user may not do that.
        """
        ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Remove at most `limit` nodes whose lease expired before this time, and return how many were removed."""
        ...
