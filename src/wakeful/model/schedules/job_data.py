"""Cron jobs and runs as clients and agents get them: plain values, with times as text."""

from typing import Any

from wakeful.model.schedules.cron_job import CronRun, ListedJob
from wakeful.model.schedules.target import target_text
from wakeful.model.tasks.task_data import time_text


def job_data(listed: ListedJob) -> dict[str, Any]:
    job, last_run = listed.job, listed.last_run
    return {
        "id": job.id,
        "name": job.name,
        "schedule": job.schedule,
        "timezone": job.timezone,
        "prompt": job.prompt,
        "deliver": None if job.deliver is None else target_text(job.deliver),
        "model": job.model,
        "fresh": job.is_fresh,
        "status": job.status,
        "next_at": _time(job.next_at),
        "last_at": _time(job.last_at),
        "last_status": None if last_run is None else last_run.status,
        "catch_up_seconds": job.catch_up_seconds,
    }


def run_data(run: CronRun) -> dict[str, Any]:
    return {
        "fire_at": time_text(run.fire_at),
        "started_at": _time(run.started_at),
        "late_seconds": run.late_seconds,
        "manual": run.is_manual,
        "session_id": run.session_id or None,
        "turn_id": run.turn_id or None,
        "status": run.status,
        "reason": run.reason or None,
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else time_text(seconds)
