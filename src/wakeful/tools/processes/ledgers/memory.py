"""Keeps rows in memory, for processes that no engine owns. They live as long as this program."""

import time
from collections.abc import Callable
from dataclasses import replace

from wakeful.model.tasks.task import Host, Task, TaskOutcome, WatchMatch
from wakeful.model.turn import Lease, Turn


class MemoryLedger:
    """Calls `on_end` for a promised end and `on_match` for a match of a watch."""

    def __init__(self, on_end: Callable[[Task], None], on_match: Callable[[Task, WatchMatch], None]) -> None:
        self._tasks: dict[str, Task] = {}
        self._on_end = on_end
        self._on_match = on_match

    async def begin(self, lease: Lease | None, task: Task) -> Task:
        self._tasks[task.id] = replace(task, started_at=time.time())
        return self._tasks[task.id]

    async def get(self, task_id: str) -> Task | None:
        return self._tasks.get(task_id)

    async def all(self) -> list[Task]:
        return list(self._tasks.values())

    def forget(self, task_id: str) -> None:
        self._tasks.pop(task_id, None)

    async def visible(self, turn: Turn, task_id: str) -> Task | None:
        task = self._tasks.get(task_id)
        return task if task is not None and task.session_id == turn.session_id else None

    async def all_visible(self, turn: Turn) -> list[Task]:
        return [task for task in self._tasks.values() if task.session_id == turn.session_id]

    async def next_attempt(self, task_id: str, attempt: int) -> bool:
        task = self._tasks[task_id]
        if not task.is_running or task.attempt != attempt:
            return False
        self._tasks[task_id] = replace(task, attempt=attempt + 1)
        return True

    async def match(self, task_id: str, match: WatchMatch, watch: bytes, *, will_notify: bool | None = None) -> None:
        await self.save_watch(task_id, watch, will_notify=will_notify)
        self._on_match(self._tasks[task_id], match)

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        task = self._tasks[task_id]
        promise = task.will_notify if will_notify is None else will_notify
        self._tasks[task_id] = replace(task, watch=watch, will_notify=promise)

    async def intend_kill(self, task_id: str) -> bool:
        task = self._tasks.get(task_id)
        if task is None or not task.is_running:
            return False
        self._tasks[task_id] = replace(task, kill_intended=True)
        return True

    async def finish(self, task_id: str, outcome: TaskOutcome) -> bool:
        task = self._tasks[task_id]
        if not task.is_running:
            return False
        ended = replace(
            task, status=outcome.status, exit_code=outcome.exit_code, result=outcome.result, ended_at=time.time()
        )
        self._tasks[task_id] = ended
        if ended.will_notify and not ended.kill_intended:
            self._on_end(ended)
        return True

    async def adopt(self, host: Host) -> list[Task]:
        return [task for task in self._tasks.values() if task.is_running and task.host.id == host.id]
