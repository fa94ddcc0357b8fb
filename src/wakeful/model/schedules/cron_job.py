"""A cron job: a prompt that is said to an agent at times, and its runs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

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
    # When its schedule was given: `every` and `in` count from here.
    starts_at: float = 0.0
    # By the store's clock. None while it is paused or done.
    next_at: float | None = None
    # The last firing, whatever became of it: nothing at or before it fires again.
    last_at: float | None = None
    created_at: float = 0.0


class JobFields(TypedDict, total=False):
    """What a person or an agent says about a job, new or known: unchecked, and only what is to change."""

    schedule: str
    prompt: str
    # A target as target.py reads it; empty: none.
    deliver: str
    # Empty: the server's.
    timezone: str
    name: str
    # Empty: the default.
    model: str
    fresh: bool
    catch_up_seconds: float
    paused: bool


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

    @property
    def late_seconds(self) -> float | None:
        """How long after its time its turn began."""
        return None if self.started_at is None else max(0.0, self.started_at - self.fire_at)


@dataclass(frozen=True, slots=True)
class ListedJob:
    job: CronJob
    # None before the first.
    last_run: CronRun | None
