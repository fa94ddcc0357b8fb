"""A turn for this node to run, newly opened or taken over."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.model.journal.entry import Entry
from wakeful.model.turn import Lease, Turn


@dataclass(frozen=True, slots=True)
class Assignment:
    turn: Turn
    # The number, in the session's log, of the turn's last fact.
    base: int
    # The journal of the turn and its ancestors if it was just written; None if it must be read.
    journal: Sequence[Entry] | None = None
    # Set when the opening commits, if the model is asked before that; None if it is committed already.
    opened: asyncio.Event | None = None
    # The owner of its session; None for a turn that was taken over.
    owner: str | None = None

    async def until_open(self) -> None:
        """Wait until the opening is committed: before that, nothing may be shown, recorded or executed."""
        if self.opened is not None:
            await self.opened.wait()

    @property
    def lease(self) -> Lease:
        return self.turn.lease
