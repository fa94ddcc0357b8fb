"""What a list of sessions shows beside each of them, to one reader."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marks:
    running_tasks: int = 0
    # Questions that wait for an answer, in it or in one of its sub-agents.
    open_approvals: int = 0
    # A turn has ended since the reader last looked.
    is_unread: bool = False
    # How its last closed turn ended, and whether notices alone had opened it.
    last_status: str | None = None
    is_woken: bool = False
