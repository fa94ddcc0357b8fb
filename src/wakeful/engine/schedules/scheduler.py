"""Fires the jobs whose time has come, by the store's clock."""

from contextlib import suppress
from functools import partial

from wakeful.engine.job import Job
from wakeful.engine.ledger import Ledger
from wakeful.engine.schedules.firing import Firing
from wakeful.errors import EngineStopping
from wakeful.store.base import Transaction

# Jobs per sweep.
_MOST_AT_ONCE = 500


class Scheduler:
    def __init__(self, ledger: Ledger, firing: Firing) -> None:
        self._store = ledger.store
        self._dispatcher = ledger.dispatcher
        self._longest_wait = ledger.settings.lease_seconds
        self._firing = firing
        self.job = Job("scheduler", self.sweep, ledger.clock)

    async def sweep(self) -> float | None:
        """Fire what is due. Returns the seconds until the next firing; on a shared store one lease time at most,
        because another node may have been given a new job, or have died before it fired one.
        """
        due = await self._store.read(_look)
        fired = [await self.job.row(job_id, partial(self._fire, job_id)) for job_id in due]
        if len(due) == _MOST_AT_ONCE and all(fired):
            return 0.0
        wait = await self._store.read(_time_left)
        if self._store.is_exclusive:
            return wait
        return self._longest_wait if wait is None else min(wait, self._longest_wait)

    async def _fire(self, job_id: str) -> None:
        if self._dispatcher.is_stopping:
            return
        # It stops meanwhile, and nothing was written: the next node fires the job.
        with suppress(EngineStopping):
            await self._firing.fire_due(job_id)


async def _look(tx: Transaction) -> list[str]:
    return [job.id for job in await tx.cron_jobs.due(await tx.now(), _MOST_AT_ONCE)]


async def _time_left(tx: Transaction) -> float | None:
    now = await tx.now()
    upcoming = await tx.cron_jobs.next_due(now)
    return None if upcoming is None else upcoming - now
