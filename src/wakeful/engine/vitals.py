"""How an engine is doing, for those who watch it from outside."""

from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.engine.job import JobCounts


@dataclass(frozen=True, slots=True)
class Vitals:
    # Turns at work, and turns that wait for a place.
    turns_at_work: int
    turns_waiting: int
    # Turns that this node has gone on with, since its start.
    taken_over: int
    # None where the store is the node's own and needs no lease.
    lease_seconds_left: float | None
    is_lease_late: bool
    jobs: Sequence[tuple[str, JobCounts]]
