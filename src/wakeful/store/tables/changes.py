"""What calls have changed in files."""

from collections.abc import Sequence
from typing import Protocol

from wakeful.model.journal.change import ChangeState, KeptChange


class FileChanges(Protocol):
    async def begin(self, change: KeptChange) -> None:
        """Write a change, or replace the one that the same call has begun before."""
        ...

    async def get(self, turn_id: str, step: int, index: int) -> KeptChange | None: ...

    async def of_turn(self, turn_id: str) -> list[KeptChange]:
        """Return the changes of a turn and of the sub-agents that worked for it, newest first."""
        ...

    async def last_turn(self, session_id: str, states: Sequence[ChangeState], call_id: str = "") -> str | None:
        """Return the turn of this session with the newest change in one of these states, made by the turn itself or by
        a sub-agent, and with `call_id` only by this call.
        """
        ...

    async def settle(self, change: KeptChange, state: ChangeState) -> bool:
        """Write what became of a change; false when it was taken back before."""
        ...

    async def old(self, host: str, before: float, limit: int) -> list[KeptChange]:
        """Return changes of this machine whose turns have ended before this time, or are gone."""
        ...

    async def remove(self, changes: Sequence[KeptChange]) -> None: ...
