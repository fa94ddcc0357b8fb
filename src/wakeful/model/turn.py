"""A turn: one run of the agent, from the rows that opened it to its one closing event."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from wakeful.model.session import Address
from wakeful.model.system_prompt import NOTHING, SystemPrompt

# The source of a turn in which the user has the conversation summed up.
COMPACTION = "compaction"


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
    """The way a message came in, and whether it can deliver something later."""

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
    # Who spoke: user, process_wakeup, watch_match, delegation_wakeup, cron; or COMPACTION.
    source: str
    # Opened by notices alone: it counts against the wake budget and is retried when it fails.
    is_wakeup: bool
    model: str
    status: TurnStatus
    # The node that runs it, and the number that fences off writes of the nodes that ran it before.
    node: str | None
    epoch: int
    # Resumes since the last recorded step; counted before a resume starts.
    resumes: int = 0
    # The number of its newest event.
    last_seq: int = 0
    # How many pieces of an answer may be shown before it is recorded; see model/words.py.
    reserved: int = 1000
    # How many earlier turns tried this wake-up and failed.
    attempt: int = 0
    # The folder that its tools work in.
    workspace: str = ""
    # The sender's id of the message that opened it; empty for a wake-up.
    message_id: str = ""
    # The client's request without its messages: JSON, see model/api/request.py.
    request: bytes = b"{}"
    # The client has deleted it, as a response.
    is_hidden: bool = False
    # It lives in memory only and ends with its reader (store=false): the store has no row for it.
    is_ephemeral: bool = False
    # For a sub-agent's turn in memory: the client's turn, with which it ends. Empty: it is the client's turn.
    works_for: str = ""
    # Set by the node that runs the turn.
    system_prompt: SystemPrompt = field(default=NOTHING, compare=False, repr=False)
    error: bytes | None = None
    opened_at: float = 0.0
    closed_at: float | None = None
    # Its position in the conversation, counted from 1; set by the store.
    number: int = 1
    # The turn with which the journal of its context begins, see model/journal/summary.py; None: the first one. It comes
    # from the parent, and a summary changes it; set by the store.
    context_turn: str | None = None

    @property
    def was_taken_over(self) -> bool:
        """Whether an earlier run of it did not finish."""
        return self.epoch > 1

    @property
    def root_id(self) -> str:
        """The turn with which this one and its sub-agents end, where they live in memory."""
        return self.works_for or self.id

    @property
    def lease(self) -> "Lease":
        assert self.node is not None
        return Lease(self.id, self.session_id, self.node, self.epoch)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a turn. It ends when the epoch in the store changes."""

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
    # Why the answer of a turn that is done is not whole: the model reached its output limit.
    incomplete: str = ""


def removable_turns(turns: Sequence[str], children: Mapping[str, Collection[str]], held: Collection[str]) -> list[str]:
    """Return the turns of a deleted session, given newest first, that nothing needs: no session has its head there
    (`held`), and no turn that stays grows from them. `children` has all turns that grow from each, in any session.
    """
    gone: dict[str, None] = {}
    for turn in turns:
        if turn not in held and all(child in gone for child in children.get(turn, ())):
            gone[turn] = None
    return list(gone)
