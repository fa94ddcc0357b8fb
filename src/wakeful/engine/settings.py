"""What an operator may change about the engine."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineSettings:
    # A node that has not renewed for this long has lost its turns to the first other node that asks.
    lease_seconds: float = 3.0
    # How long a graceful stop waits for turns to reach their next recorded step.
    stop_grace_seconds: float = 5.0
    # How long one turn may take, counted anew on each node that runs it.
    turn_seconds: float = 3600.0
    # How many turns may be at work at once, and a fifth as many more that were taken over; the others wait, and their
    # owners take turns.
    concurrent_turns: int = 1000
    # How many turns an hour a session may open by notices alone.
    wake_budget_per_hour: int = 30
    # While other promised work of a session runs, a wake-up waits so long for more ends to share its turn.
    wake_company_seconds: float = 0.025
    # Resumes without a newly recorded step before a turn is given up.
    resume_limit: int = 3
    # Tries of a wake-up that fails for a passing reason, and the wait before the second; it doubles each time.
    wake_retry_limit: int = 5
    wake_retry_seconds: float = 5.0
    # How long a question for an approval waits for its answer.
    approval_seconds: float = 300.0
    # How long what was allowed in a folder is not asked about again.
    grant_days: float = 90.0
    # Sub-agents of one session at the same time, how deep they may delegate further, and how long one may take.
    delegation_limit: int = 8
    delegation_depth: int = 2
    delegation_seconds: float = 3600.0
    # How long a deleted session can be brought back.
    undo_seconds: float = 30.0
    # A machine that was silent for so long is taken for dead, and its processes for lost.
    host_silence_seconds: float = 3600.0
