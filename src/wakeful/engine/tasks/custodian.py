"""Adopts background work that no node watches: at the start, and periodically where several nodes share a store.

It also kills this node's processes whose end another node has asked for in the store.
"""

from functools import partial

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock, Processes
from wakeful.engine.settings import EngineSettings
from wakeful.engine.tasks.task_runner import TaskRunner
from wakeful.model.event import TASK_STARTED
from wakeful.model.tasks.notice_text import notice_text
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskOutcome, TaskStatus
from wakeful.store.base import Signal, Store, Transaction


class Custodian:
    def __init__(
        self,
        store: Store,
        node: str,
        host: Host,
        tasks: TaskRunner,
        clock: Clock,
        settings: EngineSettings,
        processes: Processes,
    ) -> None:
        self._store = store
        self._node = node
        self._host = host
        self._tasks = tasks
        self._settings = settings
        self._processes = processes
        # Sessions with processes that this node watches.
        self._owners: set[str] = set()
        # When the last round was, by the store's clock.
        self._last_round = float("-inf")
        self.rounds = Job("custodian", self.sweep, clock)
        # A job apart from the rounds: other nodes' commits wake it, and must not delay the rounds.
        self.errands = Job("custodian's errands", self.obey, clock, first_wait=None)
        store.notifier.listen(self._hear)

    async def sweep(self) -> float | None:
        """Adopt processes; on a shared store, also kill those whose end is wanted and record those of dead machines as
        lost. An exclusive store needs one round only: there are no other nodes.
        """
        await self._processes.adopt()
        if self._store.is_exclusive:
            return None
        await self.obey()
        now, silent = await self._store.read(self._listen)
        # After a long pause of this node every machine seems silent: wait a round, so that they can report first.
        if now - self._last_round < self._settings.host_silence_seconds / 2:
            for task in silent:
                await self.rounds.row(task.id, partial(self._tasks.finish, task.id, _lost(task)))
        self._last_round = now
        return self._settings.lease_seconds

    async def obey(self) -> None:
        """Kill the processes of this node whose end is wanted."""
        before = frozenset(self._owners)
        watched = [task for task in await self._store.read(self._watched) if task.kind is TaskKind.PROCESS]
        self._owners = (self._owners - before) | {task.session_id for task in watched}
        for task in watched:
            if task.kill_intended:
                await self.errands.row(task.id, partial(self._processes.obey, task))

    async def _watched(self, tx: Transaction) -> list[Task]:
        return await tx.tasks.watched_by(self._node)

    async def _listen(self, tx: Transaction) -> tuple[float, list[Task]]:
        """Return the store's time and the processes of silent machines, without this machine, which is alive."""
        now = await tx.now()
        silent = await tx.tasks.of_silent_hosts(now - self._settings.host_silence_seconds)
        return now, [task for task in silent if task.host.id != self._host.id]

    def _hear(self, signal: Signal) -> None:
        """Look for processes to kill after another node's commit, whose events are not in the signal."""
        if self._store.is_exclusive:
            return
        with_events = {event.session_id for event in signal.events}
        self._owners |= {event.session_id for event in signal.events if event.kind == TASK_STARTED}
        if signal.is_everything or (signal.sessions - with_events) & self._owners:
            self.errands.wake()


def _lost(task: Task) -> TaskOutcome:
    fate = "was lost: its machine has been silent for too long, so how it ended is unknown."
    notice = notice_text(f"Background process {task.id} {fate}", f"Command: {task.command}")
    return TaskOutcome(TaskStatus.LOST, None, notice)
