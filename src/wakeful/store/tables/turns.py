"""Turns, the inbox that opens them, and the nodes that run them."""

from collections.abc import Sequence
from typing import Protocol

from wakeful.model.inbox import InboxRow
from wakeful.model.turn import Lease, Turn
from wakeful.model.words import Said


class Turns(Protocol):
    async def get(self, turn_id: str) -> Turn | None: ...

    async def hide(self, turn_id: str) -> None:
        """Its client has deleted it. Only its own name is gone: what grew from it stays."""
        ...

    async def chain(self, turn_id: str, limit: int) -> list[Turn]:
        """The turn and its ancestors, newest first, `limit` at most."""
        ...

    async def require(self, lease: Lease) -> Turn:
        """The running turn of this lease. Raises LeaseLost when it was closed or taken over."""
        ...

    async def mark_recorded(self, turn_id: str) -> None:
        """A step was recorded: resumes count from zero again."""
        ...

    async def reserve(self, lease: Lease, pieces: int) -> None:
        """So many pieces of an answer may be shown before it is recorded. Raises LeaseLost."""
        ...

    async def take_over_if_running(self, turn_id: str, epoch: int, node: str) -> Turn | None:
        """Give the turn to `node` under the next epoch and count the resume; None when someone was quicker."""
        ...

    async def said_elsewhere(self, turn_id: str, base: int) -> tuple[int, Said] | None:
        """The step, and what another node has shared of the words that follow this event, as far as it has no hole."""
        ...

    async def taken_from(self, node: str) -> list[Turn]:
        """Running turns that were taken over because this node had let its lease run out."""
        ...

    async def take_resume_back(self, turn_id: str, node: str, *, limit: int) -> None:
        """The resume that was counted when the turn was taken from this node was no crash. `limit`: how often that may
        be said of one turn before it records another step.
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Leave the turn to the first node that takes it, without counting a resume."""
        ...

    async def orphans(self, now: float, *, keeper: str | None) -> list[Turn]:
        """Running turns whose node has let its lease run out. With `keeper`: all that this one node does not hold."""
        ...

    async def running_on(self, node: str) -> list[Turn]: ...

    async def running_of(self, owner: str) -> list[Turn]:
        """The active turns of the owner's listed sessions, in the order of their start."""
        ...

    async def recent(self, session_id: str, limit: int) -> list[Turn]:
        """The newest turns that were opened in a session, newest first, also those of branches that were left."""
        ...


class Inbox(Protocol):
    async def post_if_new(self, row: InboxRow) -> bool:
        """Add a row; false when its dedupe key is known in this session. The row's id is given by the store."""
        ...

    async def find(self, session_id: str, dedupe_key: str) -> InboxRow | None: ...

    async def find_by_turn(self, turn_id: str) -> InboxRow | None:
        """The row with which this turn id was given out."""
        ...

    async def pending(self, session_id: str) -> list[InboxRow]:
        """In the order of arrival."""
        ...

    async def claim(self, row_ids: Sequence[int], turn_id: str) -> None:
        """They are the turn's now, which has their texts in its journal: here they are dropped."""
        ...

    async def withdraw_if_pending(self, session_id: str, dedupe_key: str) -> bool: ...

    async def empty_taken(self, limit: int) -> int:
        """Drop the texts of rows that an older version has left in them after a turn had taken them. Looks at so many
        rows; how many there were to look at.
        """
        ...


class Nodes(Protocol):
    async def renew(self, node: str, lease_until: float, *, host: str) -> None:
        """Also says that the host is up."""
        ...

    async def retire(self, node: str) -> None: ...

    async def cut_off_dead(self) -> int:
        """Break what nodes that have let their lease run out still have under way at the database, locks included,
        and say how many connections that were. Raises StoreReadOnly where that is not allowed.
        """
        ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Forget nodes that have let their lease run out before this moment, at most so many, and say how many."""
        ...
