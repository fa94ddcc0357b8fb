"""A lane: a session as one read shows it, with all that a decision about its next turn asks for."""

from dataclasses import dataclass

from wakeful.model.inbox import InboxRow
from wakeful.model.session import Session
from wakeful.model.turn import Turn


@dataclass(frozen=True, slots=True)
class Lane:
    session: Session
    # The running turn, if there is one.
    active: Turn | None = None
    # In the order of arrival.
    pending: tuple[InboxRow, ...] = ()
    # The row that already has the name which was asked about.
    known: InboxRow | None = None
    # Running tasks whose end or output will still wake the session.
    promised: frozenset[str] = frozenset()
    # When the wake-up was opened that used up the budget of the last hour; None: some of it is left.
    spent_at: float | None = None
    # The store's time.
    now: float = 0.0
