"""Makes, shows and changes jobs for people and tools, and says who may do so.

A job belongs to its maker. Only the operator may make one that delivers to a chat, and sees the jobs of all.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

from wakeful.engine.ledger import Ledger
from wakeful.engine.schedules.firing import Firing
from wakeful.engine.schedules.scheduler import Scheduler
from wakeful.engine.schedules.settings import ScheduleSettings
from wakeful.errors import ConfigError, JobNotFound, NotAllowed
from wakeful.model.ids import new_id
from wakeful.model.schedules.cron_job import CronJob, CronRun, JobFields, JobStatus, ListedJob
from wakeful.model.schedules.schedule import Schedule, ScheduleError, moment_of, parse_schedule, read_schedule
from wakeful.model.schedules.target import parse_target
from wakeful.model.session import Address
from wakeful.store.base import Transaction

_CHANGEABLE = (
    "name", "schedule", "timezone", "prompt", "deliver", "model", "is_fresh", "catch_up_seconds", "status",
    "starts_at", "next_at",
)  # fmt: skip
# In the year 9000: not much later, times cannot be written any more.
_LAST_TIME = 221_845_392_000.0
# /api/cron/next lists the times of a schedule.
_RESERVED_NAME = "next"
# A job under the name of another's id would be taken for that one once it is gone.
_ID = re.compile(r"cron_[0-9a-f]{32}")
_ONLY_OPERATOR = "Only the operator may use schedules that deliver to a chat."


class ScheduleDesk:
    def __init__(self, ledger: Ledger, settings: ScheduleSettings, check_model: Callable[[str], object]) -> None:
        """`check_model` raises ConfigError if no provider serves the model."""
        self._store = ledger.store
        self._settings = settings
        self._check_model = check_model
        self._firing = Firing(ledger, settings)
        self._scheduler = Scheduler(ledger, self._firing)
        self.job = self._scheduler.job

    async def add(self, principal: str, fields: JobFields, job_id: str = "") -> ListedJob:
        """Make a job. One that exists with this id already is returned as it is. Raises ScheduleError, NotAllowed."""

        async def body(tx: Transaction) -> ListedJob:
            known = await tx.cron_jobs.get(job_id) if job_id else None
            if known is not None:
                return await _listed(tx, known)
            now = await tx.now()
            job = replace(self._blank, id=job_id or new_id("cron"), owner=principal, created_at=now)
            job = self._rescheduled(replace(job, **self._checked(fields)), now)
            await _require_free_name(tx, job)
            await tx.cron_jobs.create(job)
            return ListedJob(job, None)

        self._require_allowed(principal, fields)
        made = await self._store.write(body)
        self.job.wake()
        return made

    async def all(self, principal: str) -> list[ListedJob]:
        async def body(tx: Transaction) -> list[ListedJob]:
            jobs = [job for job in await tx.cron_jobs.all() if principal in (self._settings.operator, job.owner)]
            return [await _listed(tx, job) for job in jobs]

        return await self._store.read(body)

    async def change(self, principal: str, reference: str, fields: JobFields) -> ListedJob:
        """Change a job. A new schedule counts from now, and one that is resumed goes on from now.
        Raises JobNotFound, NotAllowed, ScheduleError.
        """

        async def body(tx: Transaction) -> ListedJob:
            job = await self._locked(tx, principal, reference)
            changed = self._changed(job, fields, await tx.now())
            await _require_free_name(tx, changed)
            await tx.cron_jobs.change(job.id, **{name: getattr(changed, name) for name in _CHANGEABLE})
            return await _listed(tx, changed)

        self._require_allowed(principal, fields)
        changed = await self._store.write(body)
        self.job.wake()
        return changed

    async def remove(self, principal: str, reference: str) -> CronJob:
        """Delete a job and its runs. A turn that it has begun goes on."""

        async def body(tx: Transaction) -> CronJob:
            job = await self._locked(tx, principal, reference)
            await tx.cron_jobs.delete(job.id)
            return job

        return await self._store.write(body)

    async def run_now(self, principal: str, reference: str) -> CronRun:
        job = await self._store.read(lambda tx: self._find(tx, principal, reference))
        return await self._firing.fire_now(job.id)

    async def runs(self, principal: str, reference: str, limit: int) -> list[CronRun]:
        async def body(tx: Transaction) -> list[CronRun]:
            job = await self._find(tx, principal, reference)
            return await tx.cron_jobs.runs(job.id, limit)

        return await self._store.read(body)

    async def next_times(self, schedule: str, timezone: str, since: str, count: int) -> list[float]:
        """Return when a schedule would fire after `since`, an RFC 3339 time; after now without one."""
        start = moment_of(since, "from") if since else await self._store.read(lambda tx: tx.now())
        times = takewhile(lambda at: at < _LAST_TIME, self._parsed(schedule, timezone, start).after(start))
        return list(islice(times, count))

    async def owner_of(self, session_id: str) -> str:
        """Return the principal for whom an agent of this session acts. Raises NotAllowed if it is not stored."""
        session = await self._store.read(lambda tx: tx.sessions.get(session_id))
        if session is None:
            raise NotAllowed("A conversation that is not stored cannot use schedules.")
        return session.owner

    def delivers_to(self, address: Address) -> bool:
        """Return whether answers can go to this address later, by a platform that is configured."""
        return address.platform in self._settings.platforms

    @property
    def _blank(self) -> CronJob:
        """A job with what the server fills in."""
        settings = self._settings
        return CronJob("", "", "", "", settings.timezone, "", catch_up_seconds=settings.catch_up_seconds)

    def _require_allowed(self, principal: str, fields: JobFields) -> None:
        if fields.get("deliver") and principal != self._settings.operator:
            raise NotAllowed(_ONLY_OPERATOR)

    async def _find(self, tx: Transaction, principal: str, reference: str) -> CronJob:
        """Find by id, or by the name that the principal gave. A job of another owner does not exist for them."""
        job = await tx.cron_jobs.get(reference) or await tx.cron_jobs.named(principal, reference)
        if job is not None and principal in (job.owner, self._settings.operator):
            return job
        if job is not None and job.deliver is not None:
            raise NotAllowed(_ONLY_OPERATOR)
        raise JobNotFound(f"There is no schedule {reference}.")

    async def _locked(self, tx: Transaction, principal: str, reference: str) -> CronJob:
        found = await self._find(tx, principal, reference)
        job = await tx.cron_jobs.lock(found.id)
        if job is None:
            raise JobNotFound(f"There is no schedule {reference}.")
        return job

    def _changed(self, job: CronJob, fields: JobFields, now: float) -> CronJob:
        changed = replace(job, **self._checked(fields))
        is_rescheduled = (changed.schedule, changed.timezone) != (job.schedule, job.timezone)
        status = _status_after(job, fields.get("paused"), is_rescheduled=is_rescheduled)
        if is_rescheduled:
            changed = self._rescheduled(changed, now)
        elif status is JobStatus.ACTIVE and job.status is not JobStatus.ACTIVE:
            changed = replace(changed, next_at=_next_time(changed, now))
        return replace(changed, status=status, next_at=changed.next_at if status is JobStatus.ACTIVE else None)

    def _checked(self, fields: JobFields) -> dict[str, Any]:
        """Return the attributes of a job that these fields stand for. Raises ScheduleError."""
        readers: dict[str, tuple[str, Callable[[Any], Any]]] = {
            "schedule": ("schedule", str.strip),
            "timezone": ("timezone", lambda zone: zone or self._settings.timezone),
            "prompt": ("prompt", _prompt),
            "deliver": ("deliver", self._target),
            "name": ("name", _name),
            "model": ("model", self._model),
            "fresh": ("is_fresh", bool),
            "catch_up_seconds": ("catch_up_seconds", float),
        }
        given = [(*readers[field], value) for field, value in fields.items() if field in readers]
        return {attribute: read(value) for attribute, read, value in given}

    def _rescheduled(self, job: CronJob, now: float) -> CronJob:
        self._parsed(job.schedule, job.timezone, now)
        job = replace(job, starts_at=now)
        return replace(job, next_at=_next_time(job, now))

    def _parsed(self, schedule: str, timezone: str, start: float) -> Schedule:
        zone = timezone or self._settings.timezone
        return parse_schedule(schedule, zone, start, min_seconds=self._settings.min_seconds)

    def _target(self, text: str) -> Address | None:
        if not text:
            return None
        target = parse_target(text)
        if not self.delivers_to(target):
            known = ", ".join(sorted(self._settings.platforms)) or "none"
            raise ScheduleError("deliver", f"{target.platform} is not configured here; these are: {known}.")
        return target

    def _model(self, name: str) -> str:
        if name:
            try:
                self._check_model(name)
            except ConfigError as error:
                raise ScheduleError("model", str(error)) from error
        return name


def _status_after(job: CronJob, paused: bool | None, *, is_rescheduled: bool) -> JobStatus:
    if paused is not None:
        return JobStatus.PAUSED if paused else JobStatus.ACTIVE
    return JobStatus.ACTIVE if is_rescheduled and job.status is JobStatus.DONE else job.status


def _next_time(job: CronJob, now: float) -> float:
    upcoming = next(read_schedule(job.schedule, job.timezone, job.starts_at).after(now), None)
    if upcoming is None:
        raise ScheduleError("schedule", f"{job.schedule!r} does not fire any more: its time is over.")
    return upcoming


def _name(text: str) -> str:
    if text.strip() == _RESERVED_NAME or _ID.fullmatch(text.strip()):
        raise ScheduleError("name", f"A schedule cannot be named {text.strip()}: choose another name.")
    return text.strip()


def _prompt(text: str) -> str:
    if not text.strip():
        raise ScheduleError("prompt", "There is nothing to say: write what the agent is to do.")
    return text


async def _require_free_name(tx: Transaction, job: CronJob) -> None:
    named = await tx.cron_jobs.named(job.owner, job.name)
    if named is not None and named.id != job.id:
        raise ScheduleError("name", f"There is a schedule named {job.name} already.")


async def _listed(tx: Transaction, job: CronJob) -> ListedJob:
    newest = await tx.cron_jobs.runs(job.id, 1)
    return ListedJob(job, newest[0] if newest else None)
