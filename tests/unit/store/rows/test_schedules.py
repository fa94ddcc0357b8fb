"""Cron jobs as rows."""

from wakeful.model.schedules.cron_job import CronJob, CronRun, JobStatus, RunStatus
from wakeful.model.session import Address
from wakeful.store.rows.schedules import CRON_JOB, CRON_RUN, job_columns, job_from, job_values, run_from, run_values

JOB = CronJob("j1", "alice", "daily", "@daily", "UTC", "Good\0 morning", is_fresh=True, status=JobStatus.PAUSED)


def test_a_job_comes_back_whole_with_and_without_a_chat() -> None:
    for deliver in (None, Address("slack", "chat", "thread")):
        job = CronJob("j1", "alice", "daily", "@daily", "UTC", "Good\0 morning", is_fresh=True, deliver=deliver)

        assert job_from(dict(zip(CRON_JOB, job_values(job), strict=True))) == job
    assert job_from(dict(zip(CRON_JOB, job_values(JOB), strict=True))) == JOB


def test_a_run_comes_back_whole() -> None:
    for is_manual in (False, True):
        run = CronRun("j1", 5.0, RunStatus.FAILED, is_manual=is_manual, session_id="s1", reason="odd")

        assert run_from(dict(zip(CRON_RUN, run_values(run), strict=True))) == run


def test_only_what_changes_becomes_a_column() -> None:
    assert job_columns(name="weekly") == {"name": "weekly"}
    assert job_columns(prompt="x") == {"prompt": b"x"}
    assert job_columns(deliver=None) == {"platform": "", "chat_id": "", "thread_id": ""}
    assert job_columns(deliver=Address("slack", "c", "t")) == {"platform": "slack", "chat_id": "c", "thread_id": "t"}
