"""A turn that a node is to run, as it stood when the node got it: opened just now, or taken over."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.model.journal.entry import Entry
from wakeful.model.turn import Lease, Turn


@dataclass(frozen=True, slots=True)
class Assignment:
    turn: Turn
    # The session's number of the turn's last fact.
    base: int
    # All that is recorded of the turn and its ancestors, where it was just written; None where it must be read.
    journal: Sequence[Entry] | None = None
    # Set when its opening is committed, where the model is asked meanwhile; None: it is.
    opened: asyncio.Event | None = None

    async def until_open(self) -> None:
        """Nothing of a turn is shown, recorded or done before it is open."""
        if self.opened is not None:
            await self.opened.wait()

    @property
    def lease(self) -> Lease:
        return self.turn.lease
