"""Cron jobs and their runs in PostgreSQL."""

from typing import Any

from wakeful.model.schedules.cron_job import CronJob, CronRun
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.schedules import CRON_JOB, CRON_RUN, job_columns, job_from, job_values, run_from, run_values


class PostgresCronJobs:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def create(self, job: CronJob) -> None:
        await self._connection.execute(insertion("cron_jobs", CRON_JOB), *job_values(job))

    async def get(self, job_id: str) -> CronJob | None:
        return await self._find("id = $1", job_id)

    async def named(self, owner: str, name: str) -> CronJob | None:
        return await self._find("owner = $1 AND name = $2 AND name <> ''", owner, name)

    async def all(self) -> list[CronJob]:
        rows = await self._connection.fetch("SELECT * FROM cron_jobs ORDER BY created_at, id")
        return [job_from(row) for row in rows]

    async def change(self, job_id: str, **values: Any) -> None:
        columns = job_columns(**values)
        changes = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, start=2))
        await self._connection.execute(f"UPDATE cron_jobs SET {changes} WHERE id = $1", job_id, *columns.values())

    async def delete(self, job_id: str) -> None:
        await self._connection.execute("DELETE FROM cron_runs WHERE job_id = $1", job_id)
        await self._connection.execute("DELETE FROM cron_jobs WHERE id = $1", job_id)

    async def due(self, now: float, limit: int) -> list[CronJob]:
        rows = await self._connection.fetch(
            "SELECT * FROM cron_jobs WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2", now, limit
        )
        return [job_from(row) for row in rows]

    async def next_due(self, now: float) -> float | None:
        next_at: float | None = await self._connection.fetchval(
            "SELECT min(next_at) FROM cron_jobs WHERE next_at > $1", now
        )
        return next_at

    async def lock(self, job_id: str) -> CronJob | None:
        return await self._find("id = $1 FOR UPDATE", job_id)

    async def add_run(self, run: CronRun) -> bool:
        added = await self._connection.fetchval(
            f"{insertion('cron_runs', CRON_RUN)} ON CONFLICT DO NOTHING RETURNING TRUE", *run_values(run)
        )
        return added is not None

    async def change_run_of(self, turn_id: str, **values: Any) -> None:
        changes = ", ".join(f"{column} = ${number}" for number, column in enumerate(values, start=2))
        await self._connection.execute(
            f"UPDATE cron_runs SET {changes} WHERE turn_id = $1 AND turn_id <> ''", turn_id, *values.values()
        )

    async def has_open_run(self, job_id: str) -> bool:
        is_open: bool = await self._connection.fetchval(
            "SELECT EXISTS (SELECT 1 FROM cron_runs WHERE job_id = $1 AND status IN ('queued', 'running'))", job_id
        )
        return is_open

    async def fail_open_runs(self, session_id: str, reason: str) -> None:
        await self._connection.execute(
            """UPDATE cron_runs SET status = 'failed', reason = $2
               WHERE session_id = $1 AND status IN ('queued', 'running')""",
            session_id,
            reason,
        )

    async def runs(self, job_id: str, limit: int) -> list[CronRun]:
        rows = await self._connection.fetch(
            "SELECT * FROM cron_runs WHERE job_id = $1 ORDER BY fire_at DESC LIMIT $2", job_id, limit
        )
        return [run_from(row) for row in rows]

    async def drop_old_runs(self, before: float, limit: int) -> int:
        dropped: int = await self._connection.fetchval(
            """WITH dropped AS (
                   DELETE FROM cron_runs WHERE (job_id, fire_at, is_manual) IN (
                       SELECT job_id, fire_at, is_manual FROM cron_runs
                       WHERE fire_at < $1 AND status IN ('done', 'failed', 'skipped') LIMIT $2
                   ) RETURNING 1
               )
               SELECT count(*) FROM dropped""",
            before,
            limit,
        )
        return dropped

    async def _find(self, condition: str, *values: str) -> CronJob | None:
        row = await self._connection.fetchrow(f"SELECT * FROM cron_jobs WHERE {condition}", *values)
        return None if row is None else job_from(row)
