"""Decides what a turn is told before the conversation begins. That is fixed when the turn begins, and stored: a turn
that goes on after a crash is told the same.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.ports import PromptSource
from wakeful.model.told import Told
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction

# In sessions; what one is told may have 100 KB.
_MOST_REMEMBERED = 100


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


class Teller:
    def __init__(self, store: Store, prompts: PromptSource) -> None:
        self._store = store
        self._prompts = prompts
        # What the last turns of sessions were told, the latest last; sessions seldom change it.
        self._latest: OrderedDict[str, bytes] = OrderedDict()

    async def tell(self, assignment: Assignment) -> Telling:
        turn, owner = assignment.turn, assignment.owner
        if owner is None:
            owner, stored = await self._known(turn)
            if stored is not None:
                return Telling(Told.unpacked(stored))
        told = await self._prompts.tell(turn, owner)
        packed = told.packed()
        # Another node may have told the session something else meanwhile.
        if self._store.is_exclusive and self._latest.get(turn.session_id) == packed:
            return Telling(told)
        # The model is asked meanwhile.
        return Telling(told, asyncio.create_task(self._write(assignment, packed)))

    async def _known(self, turn: Turn) -> tuple[str, bytes | None]:
        """Return the owner of the turn's session, and what the turn was told before it was taken over."""

        async def body(tx: Transaction) -> tuple[str, bytes | None]:
            session = await tx.sessions.get(turn.session_id)
            return "" if session is None else session.owner, await tx.turns.told(turn.session_id)

        return await self._store.read(body)

    async def _write(self, assignment: Assignment, packed: bytes) -> None:
        async def body(tx: Transaction) -> None:
            await tx.turns.require(assignment.lease)
            await tx.turns.tell(assignment.turn.session_id, packed)

        await assignment.until_open()
        session_id = assignment.turn.session_id
        await self._store.write(body, lock=[session_id])
        self._latest[session_id] = packed
        self._latest.move_to_end(session_id)
        if len(self._latest) > _MOST_REMEMBERED:
            self._latest.popitem(last=False)
