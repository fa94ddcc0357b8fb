"""What a call has changed in a file, as people see it, and the row by which it can be taken back."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

# The longest diff that is kept, in characters.
DIFF_LIMIT = 200_000


class ChangeKind(StrEnum):
    CREATED = "created"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a call has written. It stands in the journal, with the call's result."""

    # Relative to the workspace; absolute for a file outside of it.
    path: str
    kind: ChangeKind
    # Lines.
    added: int
    removed: int
    # A unified diff, or a line in brackets that says why there is none.
    diff: str
    # Whether what stood there before was kept.
    undoable: bool
    undone: bool = False

    @property
    def fields(self) -> dict[str, Any]:
        return asdict(self)


class ChangeState(StrEnum):
    # It has been written, or a crash cut it off: the file itself tells which.
    MADE = "made"
    UNDONE = "undone"
    # It could not be taken back, and is not tried again unless the user insists.
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class KeptChange:
    """The row of a change, written before the file is. A call changes one file."""

    session_id: str
    turn_id: str
    step: int
    index: int
    call_id: str
    # The absolute path with its links followed, and the path as people see it.
    path: str
    shown: str
    # Marks that tell the content before and after from any other; empty: no file.
    before: str
    after: str
    # Whether what stood there before was kept, or nothing stood there.
    undoable: bool
    added: int
    removed: int
    # When it was written, by the machine's clock: changes are taken back newest first.
    written_at: float
    # The machine that has the file; set by the ledger.
    host: str = ""
    # The turn at the top, if it was made by a sub-agent, and its session; else its own. Set by the ledger.
    root_session_id: str = ""
    root_turn_id: str = ""
    state: ChangeState = ChangeState.MADE

    @property
    def key(self) -> str:
        """Its name among the changes of its session."""
        return f"{self.turn_id}.{self.step}.{self.index}"


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What became of a change that was to be taken back: `kind` is restored or deleted; empty: it was not, for this
    reason.
    """

    kind: str = ""
    reason: str = ""
    # What hinders it may pass, such as a full disk.
    may_be_tried_again: bool = False


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo has done, by path as people see it."""

    undone: dict[str, str]
    skipped: dict[str, str]
