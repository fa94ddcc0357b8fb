"""Background tasks in SQLite."""

import sqlite3
from collections.abc import Callable

from wakeful.model.task import Task, TaskOutcome
from wakeful.store.decode import task_from
from wakeful.store.footprint import Footprint


class SqliteTasks:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float], footprint: Footprint) -> None:
        self._connection = connection
        self._clock = clock
        self._footprint = footprint

    async def add_if_absent(self, task: Task) -> bool:
        self._footprint.require_lock(task.session_id)
        cursor = self._connection.execute(
            """INSERT INTO tasks (id, kind, session_id, owner, turn_id, step, idx, host, boot_id, command, door,
                                  async_delivery, platform, chat_id, thread_id, model, will_notify, status,
                                  started_at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (turn_id, step, idx) DO NOTHING""",
            (
                task.id,
                task.kind,
                task.session_id,
                task.owner,
                task.turn_id,
                task.step,
                task.index,
                task.host.id,
                task.host.boot_id,
                task.command.encode(),
                task.door.name,
                task.door.async_delivery,
                task.address.platform,
                task.address.chat_id,
                task.address.thread_id,
                task.model,
                task.will_notify,
                task.status,
                task.started_at,
            ),
        )
        return cursor.rowcount == 1

    async def get(self, task_id: str) -> Task | None:
        row = self._connection.execute("SELECT * FROM tasks WHERE id = ?", (task_id,)).fetchone()
        return None if row is None else task_from(row)

    async def of_session(self, session_id: str) -> list[Task]:
        rows = self._connection.execute(
            "SELECT * FROM tasks WHERE session_id = ? ORDER BY started_at, id", (session_id,)
        )
        return [task_from(row) for row in rows]

    async def intend_kill_if_running(self, task_id: str) -> bool:
        cursor = self._connection.execute(
            "UPDATE tasks SET kill_intended = 1 WHERE id = ? AND status = 'running'", (task_id,)
        )
        return cursor.rowcount == 1

    async def finish_if_running(self, task_id: str, outcome: TaskOutcome) -> bool:
        row = self._connection.execute(
            """UPDATE tasks SET status = ?, exit_code = ?, ended_at = ? WHERE id = ? AND status = 'running'
               RETURNING session_id""",
            (outcome.status, outcome.exit_code, self._clock(), task_id),
        ).fetchone()
        if row is None:
            return False
        self._footprint.require_lock(row["session_id"])
        return True
