"""Cron jobs and their runs in SQLite."""

import sqlite3
from typing import Any

from wakeful.model.schedules.cron_job import CronJob, CronRun
from wakeful.store.rows.schedules import CRON_JOB, CRON_RUN, job_columns, job_from, job_values, run_from, run_values
from wakeful.store.sqlite.statement import insertion


class SqliteCronJobs:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def create(self, job: CronJob) -> None:
        self._connection.execute(insertion("cron_jobs", CRON_JOB), job_values(job))

    async def get(self, job_id: str) -> CronJob | None:
        return self._find("id = ?", job_id)

    async def named(self, owner: str, name: str) -> CronJob | None:
        return self._find("owner = ? AND name = ? AND name <> ''", owner, name)

    async def all(self) -> list[CronJob]:
        return [job_from(row) for row in self._connection.execute("SELECT * FROM cron_jobs ORDER BY created_at, id")]

    async def change(self, job_id: str, **values: Any) -> None:
        columns = job_columns(**values)
        self._connection.execute(
            f"UPDATE cron_jobs SET {', '.join(f'{column} = ?' for column in columns)} WHERE id = ?",
            (*columns.values(), job_id),
        )

    async def delete(self, job_id: str) -> None:
        self._connection.execute("DELETE FROM cron_runs WHERE job_id = ?", (job_id,))
        self._connection.execute("DELETE FROM cron_jobs WHERE id = ?", (job_id,))

    async def due(self, now: float, limit: int) -> list[CronJob]:
        rows = self._connection.execute(
            "SELECT * FROM cron_jobs WHERE next_at <= ? ORDER BY next_at, id LIMIT ?", (now, limit)
        )
        return [job_from(row) for row in rows]

    async def next_due(self, now: float) -> float | None:
        row = self._connection.execute(
            "SELECT min(next_at) AS next_at FROM cron_jobs WHERE next_at > ?", (now,)
        ).fetchone()
        next_at: float | None = row["next_at"]
        return next_at

    async def lock(self, job_id: str) -> CronJob | None:
        """One thread writes: its transactions hold everything."""
        return await self.get(job_id)

    async def add_run(self, run: CronRun) -> bool:
        cursor = self._connection.execute(f"{insertion('cron_runs', CRON_RUN)} ON CONFLICT DO NOTHING", run_values(run))
        return cursor.rowcount == 1

    async def change_run_of(self, turn_id: str, **values: Any) -> None:
        changes = ", ".join(f"{column} = ?" for column in values)
        self._connection.execute(
            f"UPDATE cron_runs SET {changes} WHERE turn_id = ? AND turn_id <> ''", (*values.values(), turn_id)
        )

    async def has_open_run(self, job_id: str) -> bool:
        row = self._connection.execute(
            "SELECT 1 FROM cron_runs WHERE job_id = ? AND status IN ('queued', 'running')", (job_id,)
        ).fetchone()
        return row is not None

    async def fail_open_runs(self, session_id: str, reason: str) -> None:
        self._connection.execute(
            """UPDATE cron_runs SET status = 'failed', reason = ?
               WHERE session_id = ? AND status IN ('queued', 'running')""",
            (reason, session_id),
        )

    async def runs(self, job_id: str, limit: int) -> list[CronRun]:
        rows = self._connection.execute(
            "SELECT * FROM cron_runs WHERE job_id = ? ORDER BY fire_at DESC LIMIT ?", (job_id, limit)
        )
        return [run_from(row) for row in rows]

    async def drop_old_runs(self, before: float, limit: int) -> int:
        cursor = self._connection.execute(
            """DELETE FROM cron_runs WHERE (job_id, fire_at, is_manual) IN (
                   SELECT job_id, fire_at, is_manual FROM cron_runs
                   WHERE fire_at < ? AND status IN ('done', 'failed', 'skipped') LIMIT ?
               )""",
            (before, limit),
        )
        return cursor.rowcount

    def _find(self, condition: str, *values: str) -> CronJob | None:
        row = self._connection.execute(f"SELECT * FROM cron_jobs WHERE {condition}", values).fetchone()
        return None if row is None else job_from(row)
