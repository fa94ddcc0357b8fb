"""How an engine is doing, for /health and /metrics."""

from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.engine.job import JobCounts


@dataclass(frozen=True, slots=True)
class Vitals:
    # Turns that have a slot, and turns that wait for one.
    turns_at_work: int
    turns_waiting: int
    # How many turns this node has taken over since its start.
    taken_over: int
    # None on an exclusive store, which needs no lease.
    lease_seconds_left: float | None
    is_lease_late: bool
    jobs: Sequence[tuple[str, JobCounts]]
