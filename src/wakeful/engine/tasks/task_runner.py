"""Writes background tasks and their ends, and posts notices of ends and matches to the session that owns the task."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.inbox.dispatcher import Dispatcher, require_session
from wakeful.engine.news import append_news
from wakeful.engine.tasks.task_notices import complete_event, end_row, match_event, match_row
from wakeful.errors import StoreError, TaskNotFound
from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.session import Session
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskOutcome, TaskStatus, WatchMatch, notice_key
from wakeful.model.tasks.task_data import task_data
from wakeful.model.turn import Lease, Turn
from wakeful.store.base import Store, Transaction

# At this door, all requests with one key are one client, whichever session they name: its sessions share their tasks.
_SHARED_DOOR = "api_server"
_PAGE = 200

logger = logging.getLogger(__name__)


class TaskRunner:
    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        commits: Commits,
        watch_delegations: Callable[[Sequence[Task]], None],
    ) -> None:
        """`watch_delegations` gets the delegations that this node adopts."""
        self._store = store
        self._dispatcher = dispatcher
        self._commits = commits
        self._watch_delegations = watch_delegations
        # Set when an adoption failed: it may have been committed all the same.
        self._is_unsure = False

    async def begin(self, lease: Lease | None, task: Task) -> Task:
        """Write the task before its process is started, or return the one that the same call has begun before."""
        assert lease is not None

        async def body(tx: Transaction) -> Task:
            await tx.turns.require(lease)
            return await begin_task(tx, task, self._dispatcher.node)

        return await self._store.write(body, lock=[task.session_id])

    async def get(self, task_id: str) -> Task | None:
        async def body(tx: Transaction) -> Task | None:
            return await tx.tasks.get(task_id)

        return await self._store.read(body)

    async def visible(self, turn: Turn, task_id: str) -> Task | None:
        """Return the task if the agent of this turn may see it."""

        async def body(tx: Transaction) -> Task | None:
            task = await tx.tasks.get(task_id)
            if task is None or task.session_id == turn.session_id:
                return task
            # An unstored turn may have no session.
            session = await tx.sessions.get(turn.session_id)
            return task if session is not None and _is_shared(task, turn, session) else None

        return await self._store.read(body)

    async def all_visible(self, turn: Turn) -> list[Task]:
        async def body(tx: Transaction) -> list[Task]:
            own = (await tx.tasks.recent(turn.session_id, ended=_PAGE))[::-1]
            if turn.door.name != _SHARED_DOOR:
                return own
            session = await tx.sessions.get(turn.session_id)
            if session is None:
                return own
            others = [task for task in await tx.tasks.page(session.owner, limit=_PAGE) if task.session_id != session.id]
            shared = [task for task in others if _is_shared(task, turn, session)]
            return sorted(own + shared, key=lambda task: (task.started_at, task.id))

        return await self._store.read(body)

    async def next_attempt(self, task_id: str, attempt: int) -> bool:
        async def body(tx: Transaction) -> bool:
            return await tx.tasks.next_attempt_if(task_id, attempt)

        return await self._store.write(body)

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        async def body(tx: Transaction) -> None:
            await tx.tasks.save_watch(task_id, watch, will_notify=will_notify)

        await self._store.write(body)

    async def match(self, task_id: str, match: WatchMatch, watch: bytes, *, will_notify: bool | None = None) -> None:
        """Post the notice of a match, store how far the output was searched, and wake the session if it is idle. A
        process that has ended or is to be killed gets no notice.
        """
        session_id = (await self._find(task_id)).session_id

        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            task = await require_task(tx, task_id)
            await tx.tasks.save_watch(task_id, watch, will_notify=will_notify)
            if not task.is_running or task.kill_intended or not await _is_listened_to(tx, task):
                return None, None
            row = match_row(task, match, await tx.now())
            lane = await self._dispatcher.lane(tx, session_id, row.dedupe_key)
            if lane.known is not None:
                return None, None
            await append_news(tx, session_id, match_event(task, match))
            # The notice must not wait for the end of its own process.
            lane = replace(lane, promised=lane.promised - {task_id})
            return None, await self._dispatcher.arrive(tx, lane, row)

        await self._commits.commit(body, lock=[session_id])

    async def intend_kill(self, task_id: str) -> bool:
        """Record that the task is to be killed, before any signal is sent. Returns False if it has ended."""

        async def body(tx: Transaction) -> bool:
            return await tx.tasks.intend_kill_if_running(task_id)

        return await self._store.write(body)

    async def finish(self, task_id: str, outcome: TaskOutcome) -> bool:
        """Write the end of a task and its notice, and wake its session if idle. Returns False if it ended before."""
        session_id = (await self._find(task_id)).session_id

        async def body(tx: Transaction) -> tuple[bool, Assignment | None]:
            return await finish_task(tx, self._dispatcher, task_id, outcome)

        is_first = await self._commits.commit(body, lock=[session_id])
        if not is_first:
            # A machine that was taken for dead has come back; the end that was written stays.
            logger.info("task %s ended as %s, but its end was recorded before", task_id, outcome.status)
        return is_first

    async def consume(self, task_id: str) -> None:
        """Withdraw the task's pending notice, because its end was seen elsewhere. Unknown ids are ignored."""
        task = await self.get(task_id)
        if task is None:
            return
        session_id = task.session_id

        async def body(tx: Transaction) -> None:
            await tx.inbox.withdraw_if_pending(session_id, notice_key(task_id))

        await self._store.write(body, lock=[session_id])

    async def adopt(self, host: Host) -> list[Task]:
        """Adopt the tasks that no node watches: watch the delegations and return the processes. After a store failure
        do so with all of this node's tasks, because the failed adoption may have been committed.
        """
        node = self._dispatcher.node
        keeper = node if self._store.is_exclusive else None

        async def body(tx: Transaction) -> list[Task]:
            own = await tx.tasks.watched_by(node)
            # A node does not adopt its own tasks, even when its lease has expired.
            known = {task.id for task in own}
            adopted = await tx.tasks.adopt(host, node, await tx.now(), keeper=keeper)
            new = [task for task in adopted if task.id not in known]
            return own + new if self._is_unsure else new

        try:
            adopted = await self._store.write(body)
        except StoreError:
            self._is_unsure = True
            raise
        self._is_unsure = False
        self._watch_delegations([task for task in adopted if task.kind is TaskKind.DELEGATION])
        return [task for task in adopted if task.kind is TaskKind.PROCESS]

    async def _find(self, task_id: str) -> Task:
        async def body(tx: Transaction) -> Task:
            return await require_task(tx, task_id)

        return await self._store.read(body)


async def begin_task(tx: Transaction, task: Task, node: str) -> Task:
    """Write a task, or return the one that the same call has begun before. The caller holds the lock of its session,
    whose owner becomes the task's.
    """
    session = await require_session(tx, task.session_id)
    written = replace(task, owner=session.owner, node=node, started_at=await tx.now())
    if not await tx.tasks.add_if_absent(written):
        known = await tx.tasks.of_call(task.turn_id, task.step, task.index)
        return next(other for other in known if other.part == task.part)
    data = {"session_id": task.session_id, "task": task_data(written)}
    await tx.events.append(task.session_id, None, [NewEvent.of(events.TASK_STARTED, data)])
    return written


async def finish_task(
    tx: Transaction, dispatcher: Dispatcher, task_id: str, outcome: TaskOutcome
) -> tuple[bool, Assignment | None]:
    """Write the end of a task, and its notice if one was promised, which may open a turn. Returns False if it had ended
    before. The caller holds the lock of its session.
    """
    if (await require_task(tx, task_id)).kill_intended:
        # It ended while a kill was wanted: it counts as killed, and gets no notice.
        outcome = replace(outcome, status=TaskStatus.KILLED, exit_code=None)
    if not await tx.tasks.finish_if_running(task_id, outcome):
        return False, None
    task = await require_task(tx, task_id)
    lane = await dispatcher.lane(tx, task.session_id)
    await _append_end(tx, task)
    notifies = task.will_notify and not task.kill_intended and await _is_listened_to(tx, task)
    return True, await dispatcher.arrive(tx, lane, *([end_row(task, outcome)] if notifies else []))


async def _append_end(tx: Transaction, task: Task) -> None:
    """Append the event of a task's end. A kill, or an end that a call waits for, is not news."""
    if task.kill_intended or task.is_inline:
        await tx.events.append(task.session_id, None, [complete_event(task)])
    else:
        await append_news(tx, task.session_id, complete_event(task))


async def require_task(tx: Transaction, task_id: str) -> Task:
    task = await tx.tasks.get(task_id)
    if task is None:
        raise TaskNotFound(f"There is no task {task_id}.")
    return task


async def _is_listened_to(tx: Transaction, task: Task) -> bool:
    """Return False for a task that a sub-agent started before its delegation ended: no agent waits for it any more."""
    session = await require_session(tx, task.session_id)
    delegation = None if session.task_id is None else await require_task(tx, session.task_id)
    if delegation is None or delegation.ended_at is None:
        return True
    return task.started_at > delegation.ended_at


def _is_shared(task: Task, turn: Turn, session: Session) -> bool:
    return turn.door.name == task.door.name == _SHARED_DOOR and task.owner == session.owner
