"""A session's mode: how much its agent may do without asking."""

from dataclasses import dataclass
from enum import StrEnum

from wakeful.model.approvals.reason_kinds import COMMAND, EDIT, HOME, MEMORY, UNASKED
from wakeful.model.session import Session


class Mode(StrEnum):
    # From the strictest to the loosest.
    READ_ONLY = "read_only"
    ASK = "ask"
    ACCEPT_EDITS = "accept_edits"
    EVERYTHING = "everything"

    def asks_about(self, kind: str) -> bool:
        """Return whether a call with a reason of this kind needs a person's answer. In `read_only` it is refused."""
        match self:
            case Mode.READ_ONLY:
                return True
            case Mode.ASK:
                return kind not in UNASKED
            case Mode.ACCEPT_EDITS:
                return kind not in (EDIT, COMMAND, *UNASKED)
            case Mode.EVERYTHING:
                return kind == HOME

    def is_looser_than(self, other: "Mode") -> bool:
        modes = list(Mode)
        return modes.index(self) > modes.index(other)


def mode_of(session: Session, default: Mode) -> Mode:
    """Return the mode of a session at the top. One that only a newer version knows allows nothing but reading."""
    if not session.mode:
        return default
    return Mode(session.mode) if session.mode in list(Mode) else Mode.READ_ONLY


@dataclass(frozen=True, slots=True)
class CallStanding:
    """How a call stands before the gate."""

    mode: Mode
    # It has asked before a crash: the answer to that question counts, whatever the mode is now.
    has_asked: bool = False
    # Notices alone have opened its turn, or the one that the agent works for.
    is_unasked: bool = False

    def counts(self, kind: str) -> bool:
        """Return whether a person is asked about a reason of this kind. Words of programs must not become what is
        remembered; where a person has begun the turn, its changes are edits like others.
        """
        return self.mode.asks_about(kind) and (kind != MEMORY or self.is_unasked)
