"""A turn that a node is to run, as it stood when the node got it: opened just now, or taken over."""

from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.model.journal import Entry
from wakeful.model.turn import Lease, Turn
from wakeful.store.base import Transaction


@dataclass(frozen=True, slots=True)
class Assignment:
    turn: Turn
    # The journal of the turn and its ancestors, oldest first.
    journal: Sequence[Entry]

    @property
    def lease(self) -> Lease:
        assert self.turn.node is not None
        return Lease(self.turn.id, self.turn.session_id, self.turn.node, self.turn.epoch)


async def assign(tx: Transaction, turn: Turn) -> Assignment:
    """In the transaction that gave the turn to this node, so that nothing more has to be asked for."""
    return Assignment(turn, await tx.journal.of_chain(turn.id))
