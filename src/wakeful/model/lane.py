"""A lane: a session with everything that decides about its next turn, read at once."""

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
    # The row that already has the dedupe key that was asked for.
    known: InboxRow | None = None
    # Running tasks whose end or output will still wake the session.
    promised: frozenset[str] = frozenset()
    # When the wake-up opened that used up the last hour's budget; None: some of it is left.
    spent_at: float | None = None
    # The store's time.
    now: float = 0.0
    # What all answers of this day have cost in USD, and when the session's newest turn for a person opened. Both are
    # read only where a day's spend has a cap.
    spent_usd: float = 0.0
    asked_at: float = 0.0
