"""Cron jobs and their runs as rows of either database, and rows as these nouns."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from wakeful.model.schedules.cron_job import CronJob, CronRun, JobStatus, RunStatus
from wakeful.model.session import Address
from wakeful.store.rows.row import Row, Values

_OF_JOB = (
    "id",
    "owner",
    "name",
    "schedule",
    "timezone",
    "model",
    "is_fresh",
    "catch_up_seconds",
    "status",
    "starts_at",
    "next_at",
    "last_at",
    "created_at",
)
CRON_JOB = (*_OF_JOB, "prompt", "platform", "chat_id", "thread_id")
CRON_RUN = ("job_id", "fire_at", "is_manual", "status", "started_at", "session_id", "turn_id", "reason")

_plain_job_values: Callable[[CronJob], Values] = attrgetter(*_OF_JOB)
run_values: Callable[[CronRun], Values] = attrgetter(*CRON_RUN)


def job_values(job: CronJob) -> Values:
    return (*_plain_job_values(job), *job_columns(prompt=job.prompt, deliver=job.deliver).values())


def job_columns(**values: Any) -> dict[str, Any]:
    """Return the columns of these attributes of a job, as a database keeps them."""
    columns = dict(values)
    if "prompt" in columns:
        columns["prompt"] = columns["prompt"].encode()
    if "deliver" in columns:
        target = columns.pop("deliver") or Address("")
        columns |= {"platform": target.platform, "chat_id": target.chat_id, "thread_id": target.thread_id}
    return columns


def job_from(row: Row) -> CronJob:
    return CronJob(
        **{column: row[column] for column in _OF_JOB if column not in ("status", "is_fresh")},
        status=JobStatus(row["status"]),
        is_fresh=bool(row["is_fresh"]),
        prompt=row["prompt"].decode(),
        deliver=Address(row["platform"], row["chat_id"], row["thread_id"]) if row["platform"] else None,
    )


def run_from(row: Row) -> CronRun:
    return CronRun(
        **{column: row[column] for column in CRON_RUN if column not in ("status", "is_manual")},
        status=RunStatus(row["status"]),
        is_manual=bool(row["is_manual"]),
    )
