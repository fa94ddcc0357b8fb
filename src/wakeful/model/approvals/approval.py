"""An approval: a call that waits for a person to allow it. Keyed like a journal entry, so that a resumed turn finds
it again instead of asking twice."""

from dataclasses import dataclass
from enum import StrEnum

from wakeful.model.approvals.reason_kinds import ONCE_ONLY


class Choice(StrEnum):
    ONCE = "once"
    # These kinds, in the session where it is said and in its delegations.
    SESSION = "session"
    # These kinds, for the same owner in this folder and below.
    FOLDER = "folder"
    DENY = "deny"

    @classmethod
    def _missing_(cls, value: object) -> "Choice | None":
        """What was `always` exists only with a folder now; clients and old rows go on to use that name."""
        return cls.FOLDER if value == _OLD_FOLDER else None


_OLD_FOLDER = "always"
# Stands in the place of a choice when none was made in time.
EXPIRED = "expired"
# What clients may answer, in the order in which it is shown.
CHOICES = (*(choice.value for choice in Choice), _OLD_FOLDER)


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason to ask a person about a call."""

    # What a grant covers: one kind.
    kind: str
    # Why, in words that finish the sentence "this command …".
    reason: str
    # What it concerns, as far as that is a single path.
    path: str | None = None
    # The dangerous part of the command, as it stands there; empty where it is not in its text.
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What a call asks a person before it does anything: one question about all of its reasons together."""

    call_id: str
    tool: str
    # The command, what is typed, or the path of a file.
    command: str
    reasons: tuple[Reason, ...]
    # Of a file: the diff that the call would make.
    preview: str = ""


@dataclass(frozen=True, slots=True)
class Approval:
    session_id: str
    turn_id: str
    step: int
    index: int
    call_id: str
    tool: str
    command: str
    # Why it asks: only what no grant covered when it did.
    reasons: tuple[Reason, ...]
    expires_at: float
    # Of a file: the diff that the call would make.
    preview: str = ""
    # What a grant of this folder would cover, and until when; empty: the session works in no folder of its own.
    folder: str = ""
    granted_until: float = 0.0
    # The delegation whose session asks; its parent shows the question too.
    task_id: str | None = None
    choice: Choice | None = None
    created_at: float = 0.0

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Those possible. The root folder is everywhere: what holds there holds for the session at most."""
        if any(found.kind in ONCE_ONLY for found in self.reasons):
            return Choice.ONCE, Choice.DENY
        if self.folder in ("", "/"):
            return Choice.ONCE, Choice.SESSION, Choice.DENY
        return tuple(Choice)
