"""Background tasks: their rows, and their ends as notices in the inbox of the session that owns them."""

import orjson

from wakeful.engine.assignment import Assignment
from wakeful.engine.dispatcher import Dispatcher, require_session
from wakeful.engine.runners import Runners
from wakeful.errors import TaskNotFound
from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.ids import new_id
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.task import Task, TaskOutcome
from wakeful.model.turn import Lease
from wakeful.store.base import Store, Transaction


class TaskRunner:
    def __init__(self, store: Store, dispatcher: Dispatcher, runners: Runners) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._runners = runners

    async def begin(self, lease: Lease, task: Task) -> bool:
        """Write the task down before it is spawned; false when its call has begun one already."""

        async def body(tx: Transaction) -> bool:
            await tx.turns.require(lease)
            if not await tx.tasks.add_if_absent(task):
                return False
            data = {"session_id": task.session_id, "task_id": task.id, "command": task.command}
            await tx.events.append(task.session_id, None, [NewEvent.of(events.TASK_STARTED, data)])
            return True

        return await self._store.write(body, lock=[task.session_id])

    async def intend_kill(self, task_id: str) -> bool:
        """Write down that its end is wanted, before anything is sent to it; false when it has ended."""

        async def body(tx: Transaction) -> bool:
            return await tx.tasks.intend_kill_if_running(task_id)

        return await self._store.write(body)

    async def finish(self, task_id: str, outcome: TaskOutcome) -> bool:
        """Write the end of a task and its notice, and wake its session if that is idle. Once: false afterwards."""
        session_id = (await self._find(task_id)).session_id

        async def body(tx: Transaction) -> tuple[bool, Assignment | None]:
            if not await tx.tasks.finish_if_running(task_id, outcome):
                return False, None
            task = await _require(tx, task_id)
            await tx.events.append(session_id, None, [_complete_event(task)])
            if not task.will_notify or task.kill_intended:
                return True, None
            await tx.inbox.post_if_new(_notice_row(task, outcome))
            return True, await self._dispatcher.open_next(tx, await require_session(tx, session_id))

        return await self._runners.commit(body, lock=[session_id])

    async def _find(self, task_id: str) -> Task:
        async def body(tx: Transaction) -> Task:
            return await _require(tx, task_id)

        return await self._store.read(body)


async def _require(tx: Transaction, task_id: str) -> Task:
    task = await tx.tasks.get(task_id)
    if task is None:
        raise TaskNotFound(f"There is no task {task_id}.")
    return task


def _complete_event(task: Task) -> NewEvent:
    data = {
        "session_id": task.session_id,
        "process_id": task.id,
        "event_id": f"task:{task.id}",
        "status": task.status,
        "exit_code": task.exit_code,
    }
    return NewEvent.of(events.PROCESS_COMPLETE, data)


def _notice_row(task: Task, outcome: TaskOutcome) -> InboxRow:
    ended_at = task.ended_at or task.started_at
    notice = {
        "task_id": task.id,
        "command": task.command,
        "status": task.status,
        "exit_code": task.exit_code,
        "seconds": ended_at - task.started_at,
    }
    return InboxRow(
        id=0,
        session_id=task.session_id,
        dedupe_key=f"task:{task.id}",
        kind=RowKind.NOTICE,
        source=f"{task.kind}_wakeup",
        turn_id=new_id("turn"),
        door=task.door,
        address=task.address,
        model=task.model,
        payload=orjson.dumps({"text": outcome.notice, "notice": notice}),
        created_at=ended_at,
    )
