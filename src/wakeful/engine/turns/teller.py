"""Decides what a turn is told before the conversation begins. That is fixed when the turn begins, and stored: a turn
that goes on after a crash is told the same.
"""

import asyncio
from dataclasses import dataclass

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.ports import PromptSource
from wakeful.model.told import Told
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction


@dataclass(slots=True)
class Telling:
    told: Told
    # Writes it, if the session's last turn was told something else.
    job: asyncio.Task[None] | None = None

    async def until_stored(self) -> None:
        """Wait until it is stored: before that, nothing of the turn may be recorded."""
        if self.job is not None:
            await self.job
            self.job = None

    def close(self) -> None:
        """Cancel a write that is still under way."""
        if self.job is not None:
            self.job.cancel()


@dataclass(frozen=True, slots=True)
class Teller:
    store: Store
    prompts: PromptSource

    async def tell(self, assignment: Assignment) -> Telling:
        turn = assignment.turn
        owner, stored = assignment.owner, None
        if owner is None:
            owner, stored = await self._known(turn)
        if turn.was_taken_over and stored is not None:
            return Telling(Told.unpacked(stored))
        told = await self.prompts.tell(turn, owner)
        packed = told.packed()
        if packed == stored:
            return Telling(told)
        # The model is asked meanwhile.
        return Telling(told, asyncio.create_task(self._store(assignment, packed)))

    async def _known(self, turn: Turn) -> tuple[str, bytes | None]:
        """Return the owner of the turn's session, and what its last turn was told."""

        async def body(tx: Transaction) -> tuple[str, bytes | None]:
            session = await tx.sessions.get(turn.session_id)
            return "" if session is None else session.owner, await tx.turns.told(turn.session_id)

        return await self.store.read(body)

    async def _store(self, assignment: Assignment, packed: bytes) -> None:
        async def body(tx: Transaction) -> None:
            await tx.turns.require(assignment.lease)
            await tx.turns.tell(assignment.turn.session_id, packed)

        await assignment.until_open()
        await self.store.write(body, lock=[assignment.turn.session_id])
