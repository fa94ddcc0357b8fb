"""The engine's settings, which an operator may change."""

from dataclasses import dataclass

from wakeful.model.approvals.mode import Mode


@dataclass(frozen=True, slots=True)
class EngineSettings:
    # A node that has not renewed its lease for this long may lose its turns to any other node.
    lease_seconds: float = 3.0
    # How long a graceful stop waits for turns to reach their next recorded step.
    stop_grace_seconds: float = 5.0
    # How long a turn may take; the count restarts on each node that runs it.
    turn_seconds: float = 3600.0
    # How many turns may work at once, plus a fifth as many that were taken over. The others wait in a queue that serves
    # owners in rotation.
    concurrent_turns: int = 1000
    # How many turns per hour notices alone may open in a session.
    wake_budget_per_hour: int = 30
    # While other promised work of a session runs, a wake-up waits this long for more ends to share its turn.
    wake_company_seconds: float = 0.025
    # What the answers of one UTC day may cost, in US dollars, before nothing wakes by itself any more, and before no
    # model is asked at all; None: any amount.
    daily_spend_usd: float | None = None
    daily_spend_hard_usd: float | None = None
    # A turn fails after this many resumes without a newly recorded step.
    resume_limit: int = 3
    # Tries of a wake-up that fails for a passing reason, and the wait before the second try; it doubles each time.
    wake_retry_limit: int = 5
    wake_retry_seconds: float = 5.0
    # How long a request for approval waits for its answer.
    approval_seconds: float = 300.0
    # How much an agent may do without asking, in sessions that have no mode of their own.
    permission_mode: Mode = Mode.ACCEPT_EDITS
    # How long a grant for a folder holds.
    grant_days: float = 90.0
    # Sub-agents of one session at the same time, how many levels deep they may delegate, and how long one may take.
    delegation_limit: int = 8
    delegation_depth: int = 2
    delegation_seconds: float = 3600.0
    # How long a deleted session can be restored.
    undo_seconds: float = 30.0
    # How long what agents change in files can be taken back, from the end of the turn; 0: for ever.
    undo_days: float = 30.0
    # A machine whose nodes were silent for this long counts as dead, and its processes as lost.
    host_silence_seconds: float = 3600.0
    # Messaging platforms without a door: what is to be delivered there waits until they have one.
    closed_platforms: frozenset[str] = frozenset()

    @property
    def waking_spend_usd(self) -> float | None:
        """What a day may cost before nothing wakes by itself. With the other cap alone, that one: a wake-up that can
        only fail would take its notices with it.
        """
        caps = [cap for cap in (self.daily_spend_usd, self.daily_spend_hard_usd) if cap is not None]
        return min(caps, default=None)
