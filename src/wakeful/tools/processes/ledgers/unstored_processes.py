"""Lets turns that are not stored start processes, and ends the processes with the turn."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from wakeful.model.tasks.task import Task, TaskStatus
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.ledgers.unstored import UnstoredLedger
from wakeful.tools.processes.left_behind import clear_away


class UnstoredProcesses:
    def __init__(self, keeper: ProcessKeeper, ledger: UnstoredLedger) -> None:
        self._keeper = keeper
        self._ledger = ledger

    @asynccontextmanager
    async def allowed_in(self, turn_id: str) -> AsyncIterator[None]:
        self._ledger.open(turn_id)
        try:
            yield
        finally:
            await self._end_all(self._ledger.close(turn_id))

    async def running_in(self, turn_id: str) -> list[Task]:
        begun = [await self._ledger.rows.get(task_id) for task_id in self._ledger.begun_in(turn_id)]
        return [task for task in begun if task is not None and task.status is TaskStatus.RUNNING]

    async def _end_all(self, task_ids: Sequence[str]) -> None:
        try:
            await asyncio.gather(*(self._end(task_id) for task_id in task_ids))
        except asyncio.CancelledError:
            # The server is stopping and cannot wait: kill without a grace period.
            for task_id in task_ids:
                if self._ledger.knows(task_id):
                    clear_away(self._keeper.outputs.folder(task_id))
            raise

    async def _end(self, task_id: str) -> None:
        await self._keeper.kill(task_id)
        task = await self._ledger.rows.get(task_id)
        if task is not None:
            await self._keeper.forget(task)
        self._ledger.forget(task_id)
