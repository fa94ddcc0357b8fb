"""The opening of a turn and its closing, as values: the engine decides, and the store writes them as they are.

They carry no times: the store fills in those that are missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wakeful.model.api.conversation import Conversation
from wakeful.model.event import Event, NewEvent
from wakeful.model.inbox import InboxRow, RowStatus
from wakeful.model.journal.entry import Entry
from wakeful.model.journal.summary import Summary
from wakeful.model.session import Session, TitleOrigin
from wakeful.model.spend import Spend
from wakeful.model.turn import Outcome, Turn


@dataclass(frozen=True, slots=True)
class Opening:
    turn: Turn
    # The ids of waiting rows that the turn consumes.
    claimed: tuple[int, ...] = ()
    # New rows that the turn consumes at once.
    posted: tuple[InboxRow, ...] = ()
    entries: tuple[Entry, ...] = ()
    facts: tuple[NewEvent, ...] = ()
    # A user has written: notices stop waiting.
    releases_hold: bool = False
    # The session's new title; empty: it keeps its title.
    title: str = ""
    # Facts of the session only, written after the turn's.
    session_facts: tuple[NewEvent, ...] = ()
    # A new session, created with its first turn, and its conversation for an API client.
    session: Session | None = None
    conversation: Conversation | None = None

    @property
    def count(self) -> int:
        """How many events it adds to the session's log."""
        return len(self.facts) + len(self.session_facts)

    @property
    def consumed(self) -> tuple[InboxRow, ...]:
        """The posted rows as they are written: claimed by the turn."""
        return tuple(replace(row, status=RowStatus.CLAIMED, claimed_by=self.turn.id) for row in self.posted)

    @property
    def new_session(self) -> Session | None:
        """The new session as it is written: with its first turn running."""
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
    """A written opening: the turn and its events, with their numbers and times."""

    turn: Turn
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Step:
    """What a turn records in one transaction."""

    entries: Sequence[Entry]
    facts: Sequence[NewEvent]
    # Tasks whose end the agent has seen: their notices are no longer needed.
    consumes: Sequence[str] = ()
    cost: Spend | None = None
    # With which the context begins from now on.
    summary: Summary | None = None


@dataclass(frozen=True, slots=True)
class Closing:
    turn: Turn
    outcome: Outcome
    # The last one is the turn's end. Those of the last answer come before it if both are recorded together.
    facts: tuple[NewEvent, ...]
    # The last answer, or the words of an answer that was cut off.
    entries: tuple[Entry, ...] = ()
    # The cost of that answer.
    cost: Spend | None = None
    # The state of the session afterwards.
    checkpoint: str | None = None
    is_held: bool = False
    is_blocked: bool = False
    # New rows, which wait.
    posted: tuple[InboxRow, ...] = ()
    # The turn that opens in the same transaction.
    next: Opening | None = None


@dataclass(frozen=True, slots=True)
class Closed:
    """A written closing: the events of the answer and the end, and the next turn, if one was opened."""

    events: Sequence[Event]
    next: Opened | None = None
