"""Schedules and their runs as lines of text, and how people name one."""

from typing import Any

from wakeful.cli.client import Client
from wakeful.cli.lists.short_id import only_one
from wakeful.cli.plain_text import clock_time, duration, one_line
from wakeful.errors import JobNotFound

_PROMPT_LENGTH = 60

JobData = dict[str, Any]
RunData = dict[str, Any]


async def find_job(client: Client, name: str) -> str:
    """Return the id of the job with this name, or whose id begins or ends like this. Raises JobNotFound."""
    jobs: list[JobData] = (await client.get("/api/cron"))["jobs"]
    named = [job["id"] for job in jobs if name and job["name"] == name]
    return named[0] if named else only_one(name, [job["id"] for job in jobs], JobNotFound, "schedule")


def job_lines(jobs: list[JobData]) -> list[str]:
    return [line for job in jobs for line in _job_lines(job)]


def _job_lines(job: JobData) -> list[str]:
    name = f" {one_line(job['name'])}" if job["name"] else ""
    when = f"next {clock_time(job['next_at'])}" if job["next_at"] else job["status"]
    last = f", last run {job['last_status']}" if job["last_status"] else ""
    target = f" → {one_line(job['deliver'])}" if job["deliver"] else ""
    prompt = one_line(job["prompt"])
    short = prompt if len(prompt) <= _PROMPT_LENGTH else f"{prompt[: _PROMPT_LENGTH - 1]}…"
    return [
        f"{job['id']}{name}: {one_line(job['schedule'])} ({one_line(job['timezone'])}), {when}{last}",
        f"    {short}{target}",
    ]


def run_lines(runs: list[RunData]) -> list[str]:
    return [_run_line(run) for run in runs]


def _run_line(run: RunData) -> str:
    why = f" ({one_line(run['reason'])})" if run["reason"] else ""
    late = f", {duration(run['late_seconds'])} late" if (run["late_seconds"] or 0) >= 1 else ""
    where = f", session {run['session_id']}" if run["session_id"] else ""
    return f"{run['fire_at']}{' by hand' if run['manual'] else ''}: {run['status']}{why}{late}{where}"
