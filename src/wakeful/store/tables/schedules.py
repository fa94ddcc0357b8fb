"""Cron jobs and their runs."""

from typing import Any, Protocol

from wakeful.model.schedules.cron_job import CronJob, CronRun


class CronJobs(Protocol):
    async def create(self, job: CronJob) -> None: ...

    async def get(self, job_id: str) -> CronJob | None: ...

    async def named(self, owner: str, name: str) -> CronJob | None: ...

    async def all(self) -> list[CronJob]:
        """Return the oldest first."""
        ...

    async def change(self, job_id: str, **values: Any) -> None:
        """Give some of its columns other values."""
        ...

    async def delete(self, job_id: str) -> None:
        """Its runs go with it."""
        ...

    async def due(self, now: float, limit: int) -> list[CronJob]:
        """Return active jobs whose time has come."""
        ...

    async def next_due(self, now: float) -> float | None:
        """Return when the next job will be due, apart from those that are."""
        ...

    async def lock(self, job_id: str) -> CronJob | None:
        """Return the job under a lock that lasts to the end of the transaction."""
        ...

    async def add_run(self, run: CronRun) -> bool:
        """Write a run; false when this firing has one already."""
        ...

    async def change_run_of(self, turn_id: str, **values: Any) -> None:
        """Give some columns of the run with this turn other values, if there is one."""
        ...

    async def has_open_run(self, job_id: str) -> bool:
        """Return whether a run of this job is queued or running."""
        ...

    async def fail_open_runs(self, session_id: str, reason: str) -> None:
        """End the runs that are queued or running in a session."""
        ...

    async def runs(self, job_id: str, limit: int) -> list[CronRun]:
        """Return the newest first."""
        ...

    async def drop_old_runs(self, before: float, limit: int) -> int:
        """Forget runs that ended before this moment, at most so many, and return how many."""
        ...
