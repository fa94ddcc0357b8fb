"""One firing: in a single transaction the job is locked, its run is written, its message posted, its next time set.

So restarts and several nodes fire nothing twice, and a crash leaves either all of it or nothing.
"""

from contextlib import suppress
from dataclasses import replace

from wakeful.engine.cron_runs import CRON
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.intake import Intake
from wakeful.engine.inbox.submission import Submission
from wakeful.engine.ledger import Ledger
from wakeful.engine.schedules.lane import FiringLane, lane_of
from wakeful.engine.schedules.settings import ScheduleSettings
from wakeful.errors import JobNotFound, WakefulError
from wakeful.model.ids import new_id
from wakeful.model.schedules.cron_job import CronJob, CronRun, JobStatus, RunStatus
from wakeful.model.schedules.due import due_times
from wakeful.model.schedules.schedule import read_schedule
from wakeful.store.base import Transaction

MISSED, STILL_RUNNING = "missed", "still_running"
# How many firings of one outage are listed.
_MOST_MISSED = 200
# A firing is not late yet: a busy machine takes that long.
_ON_TIME_SECONDS = 2.0
# How long to wait for a session that another transaction holds; then the next sweep tries again.
_PATIENCE_SECONDS = 0.5


class _LaneChanged(WakefulError):
    """The chat has another session than a moment ago."""


class Firing:
    def __init__(self, ledger: Ledger, settings: ScheduleSettings) -> None:
        self._store = ledger.store
        self._commits = ledger.commits
        self._intake = Intake(ledger.dispatcher)
        self._settings = settings

    async def fire_due(self, job_id: str) -> None:
        """Fire a job if its time has come, and set its next time."""
        await self._commit(job_id, is_manual=False)

    async def fire_now(self, job_id: str) -> CronRun:
        """Fire a job at once, beside its schedule. Raises JobNotFound."""
        run = await self._commit(job_id, is_manual=True)
        if run is None:
            raise JobNotFound(f"There is no schedule {job_id}.")
        return run

    async def _commit(self, job_id: str, *, is_manual: bool) -> CronRun | None:
        while True:
            locked = await self._store.read(lambda tx: self._known_session(tx, job_id))

            async def body(tx: Transaction, locked: str = locked) -> tuple[CronRun | None, Assignment | None]:
                job = await tx.cron_jobs.lock(job_id)
                if job is None:
                    return None, None
                return await (self._now(tx, job, locked) if is_manual else self._due(tx, job, locked))

            lock = [locked] if locked else []
            with suppress(_LaneChanged):
                return await self._commits.commit(body, lock=lock, patience=_PATIENCE_SECONDS)

    async def _known_session(self, tx: Transaction, job_id: str) -> str:
        """Return the session that a firing goes to, to be locked; empty if it goes to a new one."""
        job = await tx.cron_jobs.get(job_id)
        if job is None or self._refusal(job):
            return ""
        lane = await lane_of(tx, job, self._settings)
        return "" if lane.is_new else lane.session.id

    async def _now(self, tx: Transaction, job: CronJob, locked: str) -> tuple[CronRun, Assignment | None]:
        return await self._start(tx, job, CronRun(job.id, await tx.now(), RunStatus.QUEUED, is_manual=True), locked)

    async def _due(self, tx: Transaction, job: CronJob, locked: str) -> tuple[CronRun | None, Assignment | None]:
        now = await tx.now()
        if job.status is not JobStatus.ACTIVE or job.next_at is None or job.next_at > now:
            return None, None
        schedule = read_schedule(job.schedule, job.timezone, job.starts_at)
        *older, newest = due_times(schedule, job.next_at, now, _MOST_MISSED)
        for at in older:
            await tx.cron_jobs.add_run(CronRun(job.id, at, RunStatus.SKIPPED, reason=MISSED))
        upcoming = next(schedule.after(newest), None)
        status = JobStatus.DONE if upcoming is None else JobStatus.ACTIVE
        await tx.cron_jobs.change(job.id, status=status, next_at=upcoming, last_at=newest)
        run = CronRun(job.id, newest, RunStatus.QUEUED)
        if now - newest > max(job.catch_up_seconds, _ON_TIME_SECONDS):
            run = replace(run, status=RunStatus.SKIPPED, reason=MISSED)
            await tx.cron_jobs.add_run(run)
            return run, None
        return await self._start(tx, job, run, locked)

    async def _start(
        self, tx: Transaction, job: CronJob, run: CronRun, locked: str
    ) -> tuple[CronRun, Assignment | None]:
        """Write the run and post its message, unless something keeps it from starting or it was started before."""
        if refusal := self._refusal(job):
            run = replace(run, status=RunStatus.FAILED, reason=refusal)
        elif await tx.cron_jobs.has_open_run(job.id):
            run = replace(run, status=RunStatus.SKIPPED, reason=STILL_RUNNING)
        if run.status is not RunStatus.QUEUED:
            await tx.cron_jobs.add_run(run)
            return run, None
        lane = await lane_of(tx, job, self._settings)
        if ("" if lane.is_new else lane.session.id) != locked:
            raise _LaneChanged
        run = replace(run, session_id=lane.session.id, turn_id=new_id("turn"))
        if not await tx.cron_jobs.add_run(run):
            return run, None
        if lane.chat is not None:
            await tx.chats.put(lane.chat)
        receipt, assignment = await self._intake.accept(tx, self._submission(job, run, lane))
        if receipt.turn is not None:
            run = replace(run, status=RunStatus.RUNNING, started_at=receipt.turn.opened_at)
        return run, assignment

    def _submission(self, job: CronJob, run: CronRun, lane: FiringLane) -> Submission:
        return Submission(
            session_id=lane.session.id,
            text=job.prompt,
            door=lane.door,
            address=lane.address,
            dedupe_key=f"cron:{job.id}:{'now' if run.is_manual else 'at'}:{run.fire_at!r}",
            model=job.model or lane.session.model or self._settings.model,
            source=CRON,
            is_by_hand=run.is_manual,
            turn_id=run.turn_id,
            session=lane.session if lane.is_new else None,
        )

    def _refusal(self, job: CronJob) -> str:
        """Return why the job cannot be delivered; empty if it can."""
        if job.deliver is None or job.deliver.platform in self._settings.platforms:
            return ""
        return f"{job.deliver.platform} is not configured: set its token, or give the schedule another target."
