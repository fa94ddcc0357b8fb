"""An approval: a call that waits for a person to allow it. It is keyed like a journal entry, so that a resumed turn
finds it instead of asking twice."""

from dataclasses import dataclass
from enum import StrEnum

from wakeful.model.approvals.reason_kinds import ONCE_ONLY


class Choice(StrEnum):
    ONCE = "once"
    # These kinds of reasons, in this session and its delegations.
    SESSION = "session"
    # These kinds of reasons, for the same owner in this folder and below.
    FOLDER = "folder"
    DENY = "deny"

    @classmethod
    def _missing_(cls, value: object) -> "Choice | None":
        """Read the old name `always`, which clients and old rows still use, as the choice of a folder."""
        return cls.FOLDER if value == _OLD_FOLDER else None


_OLD_FOLDER = "always"
# Stored instead of a choice when none was made in time.
EXPIRED = "expired"
# The answers that clients may send, in the order in which they are shown.
CHOICES = (*(choice.value for choice in Choice), _OLD_FOLDER)


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason to ask a person about a call."""

    # A grant covers one kind.
    kind: str
    # Finishes the sentence "this command …".
    reason: str
    # The path that it is about, if it is a single one.
    path: str | None = None
    # The dangerous part of the command, verbatim; empty if it is not in the command's text.
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What a call asks a person before it does anything: one question for all of its reasons."""

    call_id: str
    tool: str
    # The command, the text to type into a process, or the path of a file.
    command: str
    reasons: tuple[Reason, ...]
    # For a file: the diff that the call would make.
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
    # The reasons that no grant covered when the question was asked.
    reasons: tuple[Reason, ...]
    expires_at: float
    # For a file: the diff that the call would make.
    preview: str = ""
    # The folder that a grant would cover, and until when; empty: the session has no workspace.
    folder: str = ""
    granted_until: float = 0.0
    # The chat on a messaging platform that a grant of the folder would hold in; empty: everywhere.
    chat_key: str = ""
    # The delegation whose session asks; its parent session shows the question, too.
    task_id: str | None = None
    choice: Choice | None = None
    created_at: float = 0.0

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The possible choices. A grant of the root folder would cover everything, so it is not offered."""
        if any(found.kind in ONCE_ONLY for found in self.reasons):
            return Choice.ONCE, Choice.DENY
        if self.folder in ("", "/"):
            return Choice.ONCE, Choice.SESSION, Choice.DENY
        return tuple(Choice)
