"""Jobs and runs as clients get them."""

from wakeful.model.schedules.cron_job import CronJob, CronRun, JobStatus, ListedJob, RunStatus
from wakeful.model.schedules.job_data import job_data, run_data
from wakeful.model.session import Address

JOB = CronJob("j1", "ann", "news", "@daily", "UTC", "What is new?")


def test_a_job_that_has_not_run_tells_no_times() -> None:
    told = job_data(ListedJob(JOB, None))

    assert [told[name] for name in ("deliver", "next_at", "last_at", "last_status")] == [None] * 4
    assert (told["fresh"], told["status"]) == (False, JobStatus.ACTIVE)


def test_a_job_tells_where_it_delivers_and_how_its_last_run_ended() -> None:
    job = CronJob(
        "j1", "ann", "news", "@daily", "UTC", "What is new?", Address("slack", "C1", "7"), next_at=60.0, last_at=1.5
    )

    told = job_data(ListedJob(job, CronRun("j1", 1.5, RunStatus.FAILED)))

    assert (told["deliver"], told["last_status"]) == ("slack:C1:7", RunStatus.FAILED)
    assert (told["next_at"], told["last_at"]) == ("1970-01-01T00:01:00.000Z", "1970-01-01T00:00:01.500Z")


def test_a_run_tells_how_late_it_began() -> None:
    waiting = run_data(CronRun("j1", 60.0, RunStatus.QUEUED))
    late = run_data(CronRun("j1", 60.0, RunStatus.RUNNING, 62.5, session_id="s1", turn_id="t1"))
    early = run_data(CronRun("j1", 60.0, RunStatus.SKIPPED, 59.0, is_manual=True, reason="busy"))

    names = ("started_at", "late_seconds", "manual", "session_id", "turn_id", "reason")
    assert [waiting[name] for name in names] == [None, None, False, None, None, None]
    assert [late[name] for name in names] == ["1970-01-01T00:01:02.500Z", 2.5, False, "s1", "t1", None]
    assert [early[name] for name in names[1:]] == [0.0, True, None, None, "busy"]


def test_a_new_job_goes_on_in_one_session_and_its_runs_are_those_of_the_schedule() -> None:
    run = CronRun("j1", 60.0, RunStatus.QUEUED)

    assert (JOB.is_fresh, JOB.status) == (False, JobStatus.ACTIVE)
    assert (run.is_manual, run.late_seconds) == (False, None)
