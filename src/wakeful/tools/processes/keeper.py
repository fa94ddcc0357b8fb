"""Keeps background processes: starts them, notices their ends, adopts them after a restart. They outlive the server.

The row of a process is written before the process starts, and its end is always reported from the row, never from the
process itself. One event loop watches all processes, without a thread or a poll for each.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from wakeful.model.tasks.task import Host, Task
from wakeful.model.turn import Lease
from wakeful.tools.ports import TaskLedger
from wakeful.tools.processes.folder import ProcessFolder, Start
from wakeful.tools.processes.foreground import ForegroundRunner
from wakeful.tools.processes.interrupts import catch_ignored_signals
from wakeful.tools.processes.kernel.grip import Grip, grip_on
from wakeful.tools.processes.kernel.identity import Identity
from wakeful.tools.processes.launch import launch_of
from wakeful.tools.processes.output.changes import Changes
from wakeful.tools.processes.output.follower import Follower
from wakeful.tools.processes.output.guard import OutputGuard
from wakeful.tools.processes.output.notices import never_ran
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.output.outputs import Outputs
from wakeful.tools.processes.output.search import OutputSearch
from wakeful.tools.processes.output.watch import Watch
from wakeful.tools.processes.persistence import until_written
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.processes.spawner import Spawner, spawn_failure
from wakeful.tools.processes.stdin import InputRefused
from wakeful.tools.processes.watched_process import WatchedProcess

T = TypeVar("T")

# Seconds to wait for a wrapper that has created its file but not written it: microseconds, unless it is killed.
_PATIENCE_WITH_WRAPPER = 2.0
_PAUSE = 0.01
_PAUSE_ELSEWHERE = 1.0
# Seconds to wait for a row that is about to be written.
_PATIENCE_WITH_STORE = 10.0

logger = logging.getLogger(__name__)


class SpawnFailed(Exception):
    """The process could not be started; its row says so too."""

    def __init__(self, task_id: str, exit_code: int, reason: str) -> None:
        super().__init__(reason)
        self.task_id = task_id
        self.exit_code = exit_code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Started:
    # The task of an earlier run of the same call, if there was one.
    task: Task
    # None if the process of that run has not written its pid yet.
    pid: int | None


class ProcessKeeper:
    def __init__(
        self,
        ledger: TaskLedger,
        settings: ProcessSettings,
        host: Host,
        *,
        clock: Callable[[], float] = time.time,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        catch_ignored_signals()
        self.host = host
        self.outputs = Outputs(settings)
        self._ledger = ledger
        self._settings = settings
        self._clock = clock
        self._guard = OutputGuard(settings)
        self._spawner = Spawner(settings, self._guard, environment)
        self._changes = Changes()
        self.foreground = ForegroundRunner(settings, self._spawner, self._guard, self._changes, self.outputs)
        self._processes: dict[str, WatchedProcess] = {}
        self._starting: dict[str, asyncio.Task[Any]] = {}
        self._jobs: set[asyncio.Task[Any]] = set()

    async def start(self, lease: Lease | None, task: Task) -> Started:
        """Write the row, then start the process, even if the caller is cancelled in between. Raises SpawnFailed, and
        what the ledger raises.
        """
        return await self._start_as(task.id, self._start(lease, task))

    async def adopt(self) -> None:
        """Watch the processes of this host that no server watches, and clean up after servers that are gone."""
        await asyncio.to_thread(self.foreground.sweep)
        tasks = [task for task in await self._ledger.adopt(self.host) if not self._knows(task.id)]
        await asyncio.gather(*(self._start_as(task.id, self._try_to_adopt(task)) for task in tasks))

    def watches(self, task_id: str) -> bool:
        return task_id in self._processes

    async def look(self, task_id: str) -> Task | None:
        """Return the row. If the process has ended, wait until the row has its end."""
        process = self._processes.get(task_id)
        if process is not None and process.has_ended:
            return await self.wait(task_id, _PATIENCE_WITH_STORE)
        return await self._ledger.get(task_id)

    async def wait(self, task_id: str, timeout: float) -> Task | None:
        """Return the row once the process has ended or the time is over."""
        process = self._processes.get(task_id)
        try:
            async with asyncio.timeout(timeout):
                await (process.is_over.wait() if process else self._end_elsewhere(task_id))
        except TimeoutError:
            pass
        return await self._ledger.get(task_id)

    async def kill(self, task_id: str) -> bool:
        """Kill everything in the group of a process. Return False if it had ended already."""
        return await asyncio.shield(self._do(self._kill(task_id)))

    async def obey(self, task: Task) -> None:
        """Kill a process whose row says that its end is wanted. Does not wait for the end."""
        if process := self._processes.get(task.id):
            self._do(process.end(self._settings.kill_grace))

    async def forget(self, task: Task) -> None:
        """Remove the files of a process that has ended."""
        await asyncio.to_thread(self.outputs.folder(task.id).remove)

    async def write(self, task_id: str, data: bytes) -> None:
        """Write to the input of a process. Raises InputRefused."""
        await self._require(task_id).write(data, self._settings.stdin_patience)

    async def close_input(self, task_id: str) -> None:
        """End the input of a process. Raises InputRefused."""
        await self._require(task_id).close_input(self._settings.stdin_patience)

    async def close(self) -> None:
        """End foreground commands and stop watching. Processes run on until the next server adopts them."""
        await self.foreground.close()
        if self._starting:
            await asyncio.wait(self._starting.values(), timeout=_PATIENCE_WITH_STORE)
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        self._changes.close()

    async def _end_elsewhere(self, task_id: str) -> None:
        """Poll the row of a process that another server keeps until it has ended."""
        while True:
            task = await self._ledger.get(task_id)
            if task is None or not task.is_running:
                return
            await asyncio.sleep(_PAUSE_ELSEWHERE)

    async def _start(self, lease: Lease | None, task: Task) -> Started:
        written = await self._ledger.begin(lease, task)
        if written.id != task.id:
            start = self.outputs.folder(written.id).started(written.attempt)
            return Started(written, start.pid if isinstance(start, Identity) else None)
        return Started(written, await self._spawn(written))

    async def _spawn(self, task: Task) -> int:
        try:
            grip = await asyncio.to_thread(self._spawn_now, task)
        except OSError as error:
            exit_code, reason = spawn_failure(error)
            logger.warning("process %s: %s", task.id, reason)
            await until_written(lambda: self._ledger.finish(task.id, never_ran(task, exit_code, reason)))
            raise SpawnFailed(task.id, exit_code, reason) from error
        self._watch(task, grip, grip.identity)
        return grip.identity.pid

    def _spawn_now(self, task: Task) -> Grip:
        launch = launch_of(task)
        self._guard.require_room()
        folder = self.outputs.folder(task.id)
        return self._spawner.spawn(
            folder,
            task.attempt,
            task.command,
            launch.workdir,
            pty=launch.pty,
            with_stdin=True,
            variables=launch.variables,
            opened=launch.opened,
        )

    def _knows(self, task_id: str) -> bool:
        return task_id in self._processes or task_id in self._starting

    async def _try_to_adopt(self, task: Task) -> None:
        try:
            await self._adopt(task)
        except Exception:  # The boundary of a background process: the others must be adopted too.
            logger.exception("process %s could not be adopted", task.id)

    async def _adopt(self, task: Task) -> None:
        if task.host.boot_id != self.host.boot_id:
            # The machine was restarted: the process is gone, and its pid may be another's.
            self._watch(task, None, None)
            return
        start = await self._start_or_fence(task)
        if start == "fenced" and not task.kill_intended:
            await self._spawn_again(task)
            return
        leader = start if isinstance(start, Identity) else None
        self._watch(task, grip_on(leader) if leader else None, leader)
        if task.kill_intended:
            await self.obey(task)

    async def _start_or_fence(self, task: Task) -> Start:
        """Return how the process was started. If it was not, forbid this attempt permanently."""
        folder = self.outputs.folder(task.id)
        start = await _settled_start(folder, task.attempt)
        if start != "not_started":
            return start
        if await asyncio.to_thread(folder.fence, task.attempt):
            return "fenced"
        return await _settled_start(folder, task.attempt)

    async def _spawn_again(self, task: Task) -> None:
        if not await until_written(lambda: self._ledger.next_attempt(task.id, task.attempt)):
            return
        try:
            await self._spawn(replace(task, attempt=task.attempt + 1))
        except SpawnFailed:
            # The row and its notice say so.
            pass

    def _watch(self, task: Task, grip: Grip | None, leader: Identity | None) -> None:
        folder = self.outputs.folder(task.id)
        output = self.outputs.of(folder)
        follower = Follower(output, self._changes, self._guard, self._search(task, output))
        process = WatchedProcess(task, self._ledger, folder, output, follower, grip=grip, leader=leader)
        self._processes[task.id] = process
        self._do(process.run()).add_done_callback(lambda _: self._forget(process))

    def _forget(self, process: WatchedProcess) -> None:
        del self._processes[process.task.id]
        process.release()

    def _search(self, task: Task, output: Output) -> OutputSearch | None:
        patterns = launch_of(task).watch_patterns
        if not patterns:
            return None
        watch = Watch(patterns, self._settings.watch_interval, self._clock)
        return OutputSearch(task, output, watch, self._ledger)

    async def _kill(self, task_id: str) -> bool:
        if not await self._ledger.intend_kill(task_id):
            return False
        if start := self._starting.get(task_id):
            await asyncio.wait([start])
        if process := self._processes.get(task_id):
            await process.end(self._settings.kill_grace)
            await process.is_over.wait()
        return True

    def _require(self, task_id: str) -> WatchedProcess:
        process = self._processes.get(task_id)
        if process is None:
            raise InputRefused("it does not run here")
        return process

    async def _start_as(self, task_id: str, work: Coroutine[Any, Any, T]) -> T:
        """Run the work to its end, even if the caller is cancelled or this keeper is closed."""
        job = self._do(work)
        self._starting[task_id] = job
        job.add_done_callback(lambda _: self._starting.pop(task_id))
        return await asyncio.shield(job)

    def _do(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        job = asyncio.create_task(work)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)
        return job


async def _settled_start(folder: ProcessFolder, attempt: int) -> Start:
    """Read the start, and wait while the wrapper has created its file but not written its identity."""
    deadline = time.monotonic() + _PATIENCE_WITH_WRAPPER
    while True:
        start = await asyncio.to_thread(folder.started, attempt)
        if start != "unfinished" or time.monotonic() >= deadline:
            return start
        await asyncio.sleep(_PAUSE)
