"""A turn: one run of the agent, from the rows that opened it to its one closing event."""

from dataclasses import dataclass
from enum import StrEnum

from wakeful.model.session import Address


class TurnStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return not TRANSITIONS[self]


TRANSITIONS: dict[TurnStatus, frozenset[TurnStatus]] = {
    TurnStatus.RUNNING: frozenset({TurnStatus.DONE, TurnStatus.FAILED, TurnStatus.CANCELLED}),
    TurnStatus.DONE: frozenset(),
    TurnStatus.FAILED: frozenset(),
    TurnStatus.CANCELLED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Door:
    """The way a message came in, and whether that way can deliver something later."""

    name: str
    async_delivery: bool


@dataclass(frozen=True, slots=True)
class Turn:
    id: str
    session_id: str
    parent: str | None
    door: Door
    # Where its answer goes.
    address: Address
    # Who spoke: user, process_wakeup, watch_match, delegation_wakeup, cron.
    source: str
    # Opened by notices alone: it counts against the wake budget and is tried again when it fails.
    is_wakeup: bool
    model: str
    status: TurnStatus
    # The node that runs it, and the number that fences the writes of every node that ran it before.
    node: str | None
    epoch: int
    # Resumes since the last recorded step; counted before a resume starts.
    resumes: int = 0
    # The number of its newest event.
    last_seq: int = 0
    # So many pieces of an answer may have been shown before it is recorded; see words.py.
    reserved: int = 1000
    # How often this wake-up was tried before, by other turns.
    attempt: int = 0
    # The folder that its tools work in.
    workspace: str = ""
    # Its sender's name for the message that opened it; empty for a wake-up.
    message_id: str = ""
    # What its client asked of it beside the words: JSON, see request.py.
    request: bytes = b"{}"
    # Its client has deleted it, as a response.
    is_hidden: bool = False
    # It lives in memory only and ends with its reader (store=false): nothing can be written down in its name.
    is_ephemeral: bool = False
    # A sub-agent's, in memory too: the turn that a client has asked for, and that it ends with. Empty: it is that one.
    works_for: str = ""
    error: bytes | None = None
    opened_at: float = 0.0
    closed_at: float | None = None
    # Its place in the conversation, counted from 1: given by the store.
    number: int = 1

    @property
    def was_taken_over(self) -> bool:
        """Whether another run of it came to no end."""
        return self.epoch > 1

    @property
    def root_id(self) -> str:
        """The turn whose end is also the end of what this one has started, where they live in memory."""
        return self.works_for or self.id

    @property
    def lease(self) -> "Lease":
        """The right of the node that runs it."""
        assert self.node is not None
        return Lease(self.id, self.session_id, self.node, self.epoch)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a turn. It ends when the epoch in the store is another one."""

    turn_id: str
    session_id: str
    node: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended."""

    status: TurnStatus
    code: str = ""
    message: str = ""
    passing: bool = False
    # Why an answer that ended in good order is not whole: the model reached its output limit.
    incomplete: str = ""
