"""An approval: a call that waits for a person to allow it. Keyed like a journal entry, so that a resumed turn finds
it again instead of asking twice."""

from dataclasses import dataclass
from enum import StrEnum


class Choice(StrEnum):
    ONCE = "once"
    # For the rest of the session.
    SESSION = "session"
    # For every session of the same owner.
    ALWAYS = "always"
    DENY = "deny"


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
    command: str
    # The rule that found it dangerous, and why in words.
    danger: str
    reason: str
    expires_at: float
    # The delegation whose session asks; its parent shows the question too.
    task_id: str | None = None
    choice: Choice | None = None
    created_at: float = 0.0
