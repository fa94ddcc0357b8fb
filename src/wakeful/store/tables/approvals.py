"""Questions to a person, and the grants that answer them in advance."""

from collections.abc import Sequence
from typing import Protocol

from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.approvals.grant import Grant


class Approvals(Protocol):
    async def ask_if_new(self, approval: Approval) -> Approval:
        """Write the question, or return the one that the same call has asked before."""
        ...

    async def get(self, turn_id: str, step: int, index: int) -> Approval | None: ...

    async def find(self, session_id: str, call_id: str) -> Approval | None:
        """Return the newest question with this call id in this session."""
        ...

    async def answer_if_open(self, approval: Approval, choice: Choice, now: float) -> bool:
        """Write the answer; false when there is one already or the time has passed."""
        ...

    async def give_up(self, approval: Approval) -> bool:
        """Mark the question as expired; false when it was answered or given up before."""
        ...

    async def expire(self, turn_id: str, now: float) -> None:
        """Mark all open questions of a turn as expired, because it has ended."""
        ...

    async def open_of(self, session_id: str, now: float) -> list[Approval]:
        """Return the open questions of this session and of its delegations, however deep; oldest first."""
        ...

    async def open_of_owner(self, owner: str | None, now: float) -> list[Approval]:
        """Return the open questions in all sessions of the owner, or of all owners; oldest first."""
        ...


class Grants(Protocol):
    async def give(self, grant: Grant) -> None:
        """Write a grant. It replaces one of the same kind for the same session, or for the same folder and chat.
        Removes the owner's expired grants.
        """
        ...

    async def covering(
        self, session_ids: Sequence[str], owner: str, folders: Sequence[str], chat_key: str, now: float
    ) -> list[Grant]:
        """Return the grants of these sessions, and the owner's grants of these folders that hold everywhere or in this
        chat: sessions first, then oldest first.
        """
        ...

    async def count_use(self, grant_ids: Sequence[str], now: float) -> None: ...

    async def of_owner(self, owner: str | None, now: float) -> list[Grant]:
        """Return the valid grants of the owner, or of all owners, oldest first, without those of deleted sessions."""
        ...

    async def revoke_if_there(self, grant_id: str, owner: str | None) -> bool:
        """Remove a grant; false when this owner, or with None any owner, has no grant with this id."""
        ...
