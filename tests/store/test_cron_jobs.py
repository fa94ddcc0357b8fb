"""Cron jobs and their runs: what is due, in both stores."""

from dataclasses import replace
from typing import Any

import pytest

from wakeful.errors import StoreError
from wakeful.model.schedules.cron_job import CronJob, CronRun, JobStatus, RunStatus
from wakeful.model.session import Address
from wakeful.store.base import Store, Transaction


def a_job(job_id: str = "j1", **values: Any) -> CronJob:
    job = CronJob(job_id, "alice", "", "0 9 * * *", "Europe/Berlin", "Good morning\0 \N{CHERRIES}", next_at=100.0)
    return replace(job, **values)


async def have(store: Store, *jobs: CronJob) -> None:
    async def body(tx: Transaction) -> None:
        for job in jobs:
            await tx.cron_jobs.create(job)

    await store.write(body)


async def test_a_job_comes_back_whole(store: Store) -> None:
    job = a_job(name="morning", deliver=Address("slack", "C1", "17.5"), is_fresh=True, created_at=5.0)
    await have(store, job, a_job("j2", created_at=6.0))

    assert await store.read(lambda tx: tx.cron_jobs.get("j1")) == job
    assert await store.read(lambda tx: tx.cron_jobs.named("alice", "morning")) == job
    assert await store.read(lambda tx: tx.cron_jobs.named("bob", "morning")) is None
    assert await store.read(lambda tx: tx.cron_jobs.named("alice", "")) is None
    assert [found.id for found in await store.read(lambda tx: tx.cron_jobs.all())] == ["j1", "j2"]


async def test_an_owner_has_one_job_of_a_name(store: Store) -> None:
    await have(store, a_job(name="morning"), a_job("j2", name="morning", owner="bob"))

    with pytest.raises(StoreError):
        await have(store, a_job("j3", name="morning"))


async def test_a_job_changes_where_it_is_told_to(store: Store) -> None:
    await have(store, a_job(deliver=Address("slack", "C1")))

    await store.write(
        lambda tx: tx.cron_jobs.change("j1", prompt="other", deliver=None, status=JobStatus.PAUSED, next_at=None)
    )

    changed = await store.read(lambda tx: tx.cron_jobs.get("j1"))
    assert changed == a_job(prompt="other", status=JobStatus.PAUSED, next_at=None)


async def test_jobs_are_due_when_their_time_has_come(store: Store) -> None:
    await have(store, a_job(), a_job("j2", next_at=50.0), a_job("j3", next_at=None), a_job("j4", next_at=101.0))

    due = await store.read(lambda tx: tx.cron_jobs.due(100.0, 10))

    assert [job.id for job in due] == ["j2", "j1"]
    assert await store.read(lambda tx: tx.cron_jobs.next_due(100.0)) == 101.0


async def test_a_firing_is_one_run(store: Store) -> None:
    await have(store, a_job())
    run = CronRun("j1", 100.0, RunStatus.QUEUED, session_id="s1", turn_id="t1")

    assert await store.write(lambda tx: tx.cron_jobs.add_run(run))
    assert not await store.write(lambda tx: tx.cron_jobs.add_run(replace(run, turn_id="t2")))
    assert await store.write(lambda tx: tx.cron_jobs.add_run(replace(run, fire_at=160.0, turn_id="")))

    await store.write(lambda tx: tx.cron_jobs.change_run_of("t1", status=RunStatus.DONE, started_at=101.0))
    await store.write(lambda tx: tx.cron_jobs.change_run_of("", status=RunStatus.DONE))
    changed = replace(run, status=RunStatus.DONE, started_at=101.0)
    assert (await store.read(lambda tx: tx.cron_jobs.runs("j1", 10)))[1] == changed
    assert await store.read(lambda tx: tx.cron_jobs.has_open_run("j1"))
    assert [run.fire_at for run in await store.read(lambda tx: tx.cron_jobs.runs("j1", 10))] == [160.0, 100.0]


async def test_runs_go_with_their_job_and_with_time(store: Store) -> None:
    await have(store, a_job(), a_job("j2"))
    done = RunStatus.DONE
    await store.write(lambda tx: tx.cron_jobs.add_run(CronRun("j1", 1.0, done)))
    await store.write(lambda tx: tx.cron_jobs.add_run(CronRun("j1", 2.0, RunStatus.RUNNING)))
    await store.write(lambda tx: tx.cron_jobs.add_run(CronRun("j2", 3.0, done)))

    assert await store.write(lambda tx: tx.cron_jobs.drop_old_runs(10.0, 1)) == 1
    await store.write(lambda tx: tx.cron_jobs.delete("j1"))

    assert await store.read(lambda tx: tx.cron_jobs.get("j1")) is None
    assert await store.read(lambda tx: tx.cron_jobs.runs("j1", 10)) == []


async def test_the_open_runs_of_a_session_end_together(store: Store) -> None:
    await have(store, a_job(), a_job("j2"))
    queued, running = RunStatus.QUEUED, RunStatus.RUNNING
    await store.write(lambda tx: tx.cron_jobs.add_run(CronRun("j1", 1.0, queued, session_id="s1", turn_id="t1")))
    await store.write(lambda tx: tx.cron_jobs.add_run(CronRun("j2", 2.0, running, session_id="s2", turn_id="t2")))

    await store.write(lambda tx: tx.cron_jobs.fail_open_runs("s1", "gone"))

    assert not await store.read(lambda tx: tx.cron_jobs.has_open_run("j1"))
    assert await store.read(lambda tx: tx.cron_jobs.has_open_run("j2"))
    (failed,) = await store.read(lambda tx: tx.cron_jobs.runs("j1", 10))
    assert (failed.status, failed.reason) == (RunStatus.FAILED, "gone")
