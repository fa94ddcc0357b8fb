"""The current state of the engine and its store, for Prometheus."""

from collections.abc import Callable, Iterator

from wakeful.engine.job import JobCounts
from wakeful.engine.vitals import Vitals
from wakeful.gateway.monitoring.exposition import Labels, family, histogram
from wakeful.model.store_stats import StoreStats


def engine_lines(vitals: Vitals) -> Iterator[str]:
    left = vitals.lease_seconds_left
    yield from family("wakeful_turns_at_work", "gauge", "Turns that hold a slot.", [], vitals.turns_at_work)
    yield from family("wakeful_turns_waiting", "gauge", "Turns that wait for a slot.", [], vitals.turns_waiting)
    yield from family("wakeful_turns_taken_over_total", "counter", "Turns taken over here.", [], vitals.taken_over)
    if left is not None:
        yield from family("wakeful_lease_seconds", "gauge", "Seconds until the lease expires.", [], max(left, 0.0))
    yield from _job_lines(vitals)


def store_lines(stats: StoreStats) -> Iterator[str]:
    yield from family("wakeful_store_queue", "gauge", "Writes that wait or are under way.", [], stats.queue)
    yield from histogram("wakeful_store_group_size", "Writes that shared one commit.", stats.group_sizes)
    yield from histogram("wakeful_store_commit_seconds", "How long commits took.", stats.commit_seconds)
    since = stats.seconds_since_success
    if since is not None:
        yield from family("wakeful_store_idle_seconds", "gauge", "Since the database's last success.", [], since)


def _job_lines(vitals: Vitals) -> Iterator[str]:
    def of_each(number: Callable[[JobCounts], float]) -> dict[Labels, float]:
        return {(name,): number(counts) for name, counts in vitals.jobs}

    runs, failures = of_each(lambda counts: counts.runs), of_each(lambda counts: counts.failures)
    rows, successes = of_each(lambda counts: counts.row_failures), of_each(lambda counts: counts.last_success)
    yield from family("wakeful_job_runs_total", "counter", "Sweeps of background jobs.", ["job"], runs)
    yield from family("wakeful_job_failures_total", "counter", "Sweeps that failed.", ["job"], failures)
    yield from family("wakeful_job_row_failures_total", "counter", "Rows that a job failed on.", ["job"], rows)
    yield from family("wakeful_job_last_success_timestamp_seconds", "gauge", "Last success, or 0.", ["job"], successes)
