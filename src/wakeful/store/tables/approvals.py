"""Questions to a person, and what need not be asked again."""

from collections.abc import Sequence
from typing import Protocol

from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.approvals.grant import Grant


class Approvals(Protocol):
    async def ask_if_new(self, approval: Approval) -> Approval:
        """Write the question, or find the one that the same call has asked before."""
        ...

    async def get(self, turn_id: str, step: int, index: int) -> Approval | None: ...

    async def find(self, session_id: str, call_id: str) -> Approval | None:
        """The newest question of this call id in this session."""
        ...

    async def answer_if_open(self, approval: Approval, choice: Choice, now: float) -> bool:
        """False when it was answered before or its time has passed."""
        ...

    async def give_up(self, approval: Approval) -> bool:
        """Its time is over; False when it was answered or given up before."""
        ...

    async def expire(self, turn_id: str, now: float) -> None:
        """The turn has ended: nobody waits for answers to its questions any more."""
        ...

    async def open_of(self, session_id: str, now: float) -> list[Approval]:
        """What waits for an answer in this session or in one of its delegations, however deep; oldest first."""
        ...

    async def open_of_owner(self, owner: str | None, now: float) -> list[Approval]:
        """What waits for an answer in any session of the owner, or of everybody; oldest first."""
        ...


class Grants(Protocol):
    async def give(self, grant: Grant) -> None:
        """One of the same kind in the same place is given anew, and stays one; the owner's expired ones go."""
        ...

    async def covering(self, session_ids: Sequence[str], owner: str, folders: Sequence[str], now: float) -> list[Grant]:
        """Those of these sessions, and the owner's of these folders; those of sessions first, then the oldest."""
        ...

    async def count_use(self, grant_ids: Sequence[str], now: float) -> None: ...

    async def of_owner(self, owner: str | None, now: float) -> list[Grant]:
        """Those that hold, of the owner or of everybody, oldest first; none of deleted sessions."""
        ...

    async def revoke_if_there(self, grant_id: str, owner: str | None) -> bool:
        """False when there is none of this id that belongs to the owner; None: to anyone."""
        ...
