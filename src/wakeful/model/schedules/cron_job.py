"""A cron job: a prompt that is said to an agent at times, and its runs."""

from dataclasses import dataclass
from enum import StrEnum

from wakeful.model.session import Address


class JobStatus(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    # It was to fire once, and has.
    DONE = "done"


class RunStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CronJob:
    id: str
    owner: str
    name: str
    # As its maker wrote it; see schedule.py.
    schedule: str
    timezone: str
    prompt: str
    # Where its answers go; None: to a session of its own.
    deliver: Address | None = None
    # Empty: the default of the chat, or of the server.
    model: str = ""
    # Each firing begins a new session.
    is_fresh: bool = False
    # A firing that was missed is made up for if it is not older than this.
    catch_up_seconds: float = 3600.0
    status: JobStatus = JobStatus.ACTIVE
    # By the store's clock. None while it is paused or done.
    next_at: float | None = None
    # The last firing, whatever became of it: nothing at or before it fires again.
    last_at: float | None = None
    created_at: float = 0.0


@dataclass(frozen=True, slots=True)
class CronRun:
    job_id: str
    fire_at: float
    status: RunStatus
    started_at: float | None = None
    # A person asked for it, beside the schedule.
    is_manual: bool = False
    session_id: str = ""
    turn_id: str = ""
    # Why it was skipped or failed.
    reason: str = ""
