"""The opening of a turn and its closing, as values: what is decided here, the store writes as it is.

They carry no times of their own: the store gives a time to whatever has none yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wakeful.model.conversation import Conversation
from wakeful.model.event import Event, NewEvent
from wakeful.model.inbox import InboxRow, RowStatus
from wakeful.model.journal.entry import Entry
from wakeful.model.journal.message import Usage
from wakeful.model.session import Session, TitleOrigin
from wakeful.model.turn import Outcome, Turn


@dataclass(frozen=True, slots=True)
class Opening:
    turn: Turn
    # Rows that wait in the store and are consumed by the turn, by their ids.
    claimed: tuple[int, ...] = ()
    # Rows that come in with the opening, and are consumed by the turn at once.
    posted: tuple[InboxRow, ...] = ()
    entries: tuple[Entry, ...] = ()
    facts: tuple[NewEvent, ...] = ()
    # A person has spoken: notices need not wait any more.
    releases_hold: bool = False
    # What the session is called from now on; empty: as before.
    title: str = ""
    # Facts of the session alone, after the turn's own.
    session_facts: tuple[NewEvent, ...] = ()
    # A session that is made with its first turn, and the conversation that it is to an API client.
    session: Session | None = None
    conversation: Conversation | None = None

    @property
    def count(self) -> int:
        """How many events it adds to the session's log."""
        return len(self.facts) + len(self.session_facts)

    @property
    def consumed(self) -> tuple[InboxRow, ...]:
        """The rows that come in with it, as they are written."""
        return tuple(replace(row, status=RowStatus.CLAIMED, claimed_by=self.turn.id) for row in self.posted)

    @property
    def new_session(self) -> Session | None:
        """The session that is made with it, as it is written: its first turn runs already."""
        if self.session is None:
            return None
        title, origin = self.session.title, self.session.title_origin
        return replace(
            self.session,
            active=self.turn.id,
            last_seq=self.count,
            title=self.title or title,
            title_origin=TitleOrigin.WORDS if self.title else origin,
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """An opening that was written: the turn and its facts, with their numbers and times."""

    turn: Turn
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Step:
    """What a turn records in one transaction."""

    entries: Sequence[Entry]
    facts: Sequence[NewEvent]
    # Tasks whose end the agent has seen: their notices are not needed any more.
    consumes: Sequence[str] = ()
    cost: Usage | None = None


@dataclass(frozen=True, slots=True)
class Closing:
    turn: Turn
    outcome: Outcome
    # The last one is its end; before it the last answer's, where that is recorded with the end.
    facts: tuple[NewEvent, ...]
    # The last answer, or the words of one that was cut.
    entries: tuple[Entry, ...] = ()
    # Of that answer.
    cost: Usage | None = None
    # The session afterwards.
    checkpoint: str | None = None
    is_held: bool = False
    is_blocked: bool = False
    # Rows that come in with the end, and wait.
    posted: tuple[InboxRow, ...] = ()
    # The turn that opens in the same transaction.
    next: Opening | None = None


@dataclass(frozen=True, slots=True)
class Closed:
    """A closing that was written: the facts of the answer and the end, and the next turn, if one was opened."""

    events: Sequence[Event]
    next: Opened | None = None
