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
