"""Delegations: goals that an agent hands to sub-agents, each in its own session, the child.

A delegation is done when the child has no active turn, no pending row and no promised task, when it is stopped, or when
its time is over. Its end and the parent's notice are one transaction under the locks of both sessions. The node that
watches a delegation checks its state after every relevant event, opens its turns and writes its end; after a crash the
next node does.
"""

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.inbox.dispatcher import Dispatcher, require_session
from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.tasks.delegation_begin import DelegationStarter
from wakeful.engine.tasks.delegation_end import delegation_outcome
from wakeful.engine.tasks.task_runner import finish_task, require_task
from wakeful.engine.turns.turn_slots import TurnSlots
from wakeful.errors import StoreError
from wakeful.model.event import PROCESS_COMPLETE
from wakeful.model.inbox import RowKind
from wakeful.model.session import Session
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Host, Task, TaskKind
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Signal, Store, Transaction
from wakeful.under_way import UnderWay

_STOPPED = Outcome(TurnStatus.CANCELLED, "stopped", "The sub-agent was stopped.")
_TIMED_OUT = Outcome(TurnStatus.CANCELLED, "time_limit", "The sub-agent's time was over.")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Watched:
    task_id: str
    parent_id: str
    child_id: str
    deadline: float


class Delegations:
    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        commits: Commits,
        slots: TurnSlots,
        clock: Clock,
        settings: EngineSettings,
        host: Host,
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._commits = commits
        self._slots = slots
        self._settings = settings
        self._starter = DelegationStarter(dispatcher.node, host, settings)
        self._clock = clock
        self._watched: dict[str, _Watched] = {}
        # Their deadlines by the monotonic clock, in case the store's clock is set back.
        self._until: dict[str, float] = {}
        # Delegations to check: an event in one of their sessions may have ended them.
        self._touched: set[str] = set()
        self.job = Job("delegations", self.sweep, clock)
        # Set when the store may have delegations of this node that are not watched.
        self._is_unsure = False
        # Writes of new delegations under way.
        self._beginnings = UnderWay()
        # The events of calls that wait for sub-agents, with the sessions that own the tasks once these are read.
        self._waiting: dict[asyncio.Event, set[str] | None] = {}
        store.notifier.listen(self._hear)
        store.notifier.watch(self._awaited)

    async def begin(self, turn: Turn, step: int, index: int, goals: Sequence[Goal], *, is_inline: bool) -> list[Task]:
        """Start a sub-agent for each goal, or find those that the same call has started before. They are watched even
        if the caller is cancelled meanwhile.
        """
        return await self._beginnings.to_its_end(self._begin(turn, (step, index), goals, is_inline))

    async def begun(self, turn: Turn, step: int, index: int) -> bool:
        """Return whether this call has started sub-agents, before it was cut off."""

        async def body(tx: Transaction) -> bool:
            return bool(await tx.tasks.of_call(turn.id, step, index))

        return await self._store.read(body)

    async def ended(self, task_ids: Sequence[str]) -> list[Task]:
        """Wait until all these tasks have ended, and return them. The turn lends its slot meanwhile."""
        changed = asyncio.Event()
        self._waiting[changed] = None
        try:
            async with self._slots.lent():
                return await self._ended(task_ids, changed)
        finally:
            del self._waiting[changed]

    async def _ended(self, task_ids: Sequence[str], changed: asyncio.Event) -> list[Task]:
        while True:
            changed.clear()
            tasks = await self._read(task_ids)
            self._waiting[changed] = {task.session_id for task in tasks}
            if not any(task.is_running for task in tasks):
                return tasks
            await changed.wait()

    async def stop(self, task_id: str) -> bool:
        """Stop a sub-agent; its parent gets no notice. Returns False if it has ended already."""

        async def body(tx: Transaction) -> Task | None:
            if not await tx.tasks.intend_kill_if_running(task_id):
                return None
            return await require_task(tx, task_id)

        task = await self._store.write(body)
        if task is None:
            return False
        await self._settle(self._watched_from(task))
        return True

    def take(self, tasks: Sequence[Task]) -> None:
        """Watch these delegations from now on, and check them soon: some may be done already."""
        for task in tasks:
            if task.child_session_id is None:
                logger.error("delegation %s has no session and cannot be watched", task.id)
                continue
            self._watched[task.id] = self._watched_from(task)
            self._touched.add(task.id)
        if tasks:
            self.job.wake()

    async def sweep(self) -> float | None:
        """Check delegations that were touched or are late. Returns the seconds until the next deadline."""
        if self._is_unsure:
            await self._find_own()
        now, steady = await self._now(), self._clock.monotonic()
        self._until = {
            watched.task_id: self._until.get(watched.task_id, steady + watched.deadline - now)
            for watched in self._watched.values()
        }
        late = {watched.task_id for watched in self._watched.values() if self._is_late(watched, now)}
        touched, self._touched = self._touched | late, set()
        # Collected first: a delegation that is stopped meanwhile is removed from `_watched`.
        for watched in [self._watched[task_id] for task_id in touched & self._watched.keys()]:
            if not await self.job.row(watched.task_id, partial(self._settle, watched)):
                self._touched.add(watched.task_id)
        return max(0.0, min((watched.deadline for watched in self._watched.values()), default=now) - now) or None

    async def _begin(self, turn: Turn, key: tuple[int, int], goals: Sequence[Goal], is_inline: bool) -> list[Task]:
        async def body(tx: Transaction) -> list[Task]:
            await tx.turns.require(turn.lease)
            return await self._starter.start(tx, turn, key, goals, is_inline=is_inline)

        try:
            tasks = await self._store.write(body, lock=[turn.session_id])
        except StoreError:
            # The write may have been committed all the same.
            self._is_unsure = True
            self.job.wake()
            raise
        self.take([task for task in tasks if task.is_running])
        return tasks

    async def _find_own(self) -> None:
        self._is_unsure = False
        try:
            tasks = await self._store.read(self._own)
        except StoreError:
            self._is_unsure = True
            raise
        self.take([task for task in tasks if task.kind is TaskKind.DELEGATION])

    async def _own(self, tx: Transaction) -> list[Task]:
        return await tx.tasks.watched_by(self._dispatcher.node)

    async def _settle(self, watched: _Watched) -> None:
        """Write the end of the delegation if it is done; otherwise open the child's next turn if a row asks for one."""

        async def body(tx: Transaction) -> tuple[bool, Assignment | None]:
            task = await require_task(tx, watched.task_id)
            if not task.is_running:
                return True, None
            is_late = self._is_late(watched, await tx.now())
            child = await self._halt_if_unwanted(tx, task, await require_session(tx, watched.child_id), is_late)
            if child.active is not None:
                return False, None
            outcome = await delegation_outcome(tx, task, child, is_late=is_late)
            if outcome is None:
                return False, await self._dispatcher.open_next(tx, child.id)
            await self._empty_inbox(tx, child)
            return await finish_task(tx, self._dispatcher, task.id, outcome)

        lock = [watched.parent_id, watched.child_id]
        has_ended = await self._commits.commit(body, lock=lock, seals=[watched.child_id])
        if has_ended:
            self._watched.pop(watched.task_id, None)

    async def _halt_if_unwanted(self, tx: Transaction, task: Task, child: Session, is_late: bool) -> Session:
        """Close the sub-agent's turn if the delegation was stopped or is late, without opening another."""
        if child.active is None or not (task.kill_intended or is_late):
            return child
        await self._empty_inbox(tx, child)
        lane = await self._dispatcher.lane(tx, child.id)
        opened = await self._dispatcher.close(tx, lane, _STOPPED if task.kill_intended else _TIMED_OUT, by_user=True)
        assert opened is None
        return await require_session(tx, child.id)

    async def _empty_inbox(self, tx: Transaction, child: Session) -> None:
        """Withdraw everything that is pending for the sub-agent, its goal included, and the promises of its tasks."""
        for row in await tx.inbox.pending(child.id):
            if row.kind is RowKind.MESSAGE:
                await self._dispatcher.withdraw(tx, row)
            else:
                await tx.inbox.withdraw_if_pending(child.id, row.dedupe_key)
        await tx.tasks.take_promises_back(child.id)

    async def _read(self, task_ids: Sequence[str]) -> list[Task]:
        async def body(tx: Transaction) -> list[Task]:
            return [await require_task(tx, task_id) for task_id in task_ids]

        return await self._store.read(body)

    async def _now(self) -> float:
        async def body(tx: Transaction) -> float:
            return await tx.now()

        return await self._store.read(body)

    def _is_late(self, watched: _Watched, now: float) -> bool:
        return watched.deadline <= now or self._until.get(watched.task_id, math.inf) <= self._clock.monotonic()

    def _watched_from(self, task: Task) -> _Watched:
        deadline = task.started_at + self._settings.delegation_seconds
        return _Watched(task.id, task.session_id, _child_of(task), deadline)

    def _awaited(self) -> set[str]:
        """Return the sessions whose events a delegation or a waiting call needs."""
        children = {watched.child_id for watched in self._watched.values()}
        parents = {watched.parent_id for watched in self._watched.values()}
        return children | parents | {session for known in self._waiting.values() for session in known or ()}

    def _hear(self, signal: Signal) -> None:
        """Check delegations after the end of a turn or a task in the parent or the child, and after every commit of
        another node, whose events are not in the signal.
        """
        with_events = {event.session_id for event in signal.events}
        ended = {event.session_id for event in signal.events if event.is_final or event.kind == PROCESS_COMPLETE}
        changed = ended | (signal.sessions - with_events)
        if signal.is_everything:
            self._is_unsure = True
            self.job.wake()
        if not changed and not signal.is_everything:
            return
        for watched in self._watched.values():
            if signal.is_everything or watched.child_id in changed or watched.parent_id in changed:
                self._touched.add(watched.task_id)
                self.job.wake()
        for waiting, sessions in self._waiting.items():
            if signal.is_everything or sessions is None or sessions & changed:
                waiting.set()


def _child_of(task: Task) -> str:
    assert task.child_session_id is not None
    return task.child_session_id
