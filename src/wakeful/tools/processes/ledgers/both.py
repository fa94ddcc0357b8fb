"""Combines two ledgers: the engine's, whose tasks are stored, and that of turns that are not stored."""

import asyncio

from wakeful.model.tasks.task import Host, Task, TaskOutcome, WatchMatch
from wakeful.model.turn import Lease, Turn
from wakeful.tools.ports import TaskLedger
from wakeful.tools.processes.ledgers.unstored import UnstoredLedger


class BothLedgers:
    def __init__(self, stored: TaskLedger, unstored: UnstoredLedger) -> None:
        self._stored = stored
        self._unstored = unstored

    async def begin(self, lease: Lease | None, task: Task) -> Task:
        """Write the task into the ledger of its turn: a turn without a lease is not stored."""
        return await (self._unstored.begin(task) if lease is None else self._stored.begin(lease, task))

    async def get(self, task_id: str) -> Task | None:
        return await self._of(task_id).get(task_id)

    async def visible(self, turn: Turn, task_id: str) -> Task | None:
        """Return the task if the turn may see it. Only an unstored turn and its sub-agents see its tasks."""
        if not self._unstored.knows(task_id):
            return await self._stored.visible(turn, task_id)
        task = await self._unstored.rows.get(task_id)
        return task if task is not None and _has_begun(turn, task) else None

    async def all_visible(self, turn: Turn) -> list[Task]:
        own = [task for task in await self._unstored.rows.all() if _has_begun(turn, task)]
        return [*await self._stored.all_visible(turn), *own]

    async def next_attempt(self, task_id: str, attempt: int) -> bool:
        return await self._of(task_id).next_attempt(task_id, attempt)

    async def match(self, task_id: str, match: WatchMatch, watch: bytes, *, will_notify: bool | None = None) -> None:
        await self._of(task_id).match(task_id, match, watch, will_notify=will_notify)

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        await self._of(task_id).save_watch(task_id, watch, will_notify=will_notify)

    async def intend_kill(self, task_id: str) -> bool:
        return await self._of(task_id).intend_kill(task_id)

    async def finish(self, task_id: str, outcome: TaskOutcome) -> bool:
        return await self._of(task_id).finish(task_id, outcome)

    async def adopt(self, host: Host) -> list[Task]:
        """Adopt stored tasks. Unstored processes of killed servers are not adopted but ended."""
        await asyncio.to_thread(self._unstored.sweep)
        return await self._stored.adopt(host)

    def _of(self, task_id: str) -> TaskLedger:
        return self._unstored.rows if self._unstored.knows(task_id) else self._stored


def _has_begun(turn: Turn, task: Task) -> bool:
    return turn.is_ephemeral and task.turn_id == turn.root_id
