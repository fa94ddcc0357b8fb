"""Background tasks in PostgreSQL."""

from wakeful.model.task import Task, TaskOutcome
from wakeful.store.decode import task_from
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import Connection


class PostgresTasks:
    def __init__(self, connection: Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def add_if_absent(self, task: Task) -> bool:
        self._footprint.require_lock(task.session_id)
        added = await self._connection.fetchval(
            """INSERT INTO tasks (id, kind, session_id, owner, turn_id, step, idx, host, boot_id, command, door,
                                  async_delivery, platform, chat_id, thread_id, model, will_notify, status,
                                  started_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
               ON CONFLICT (turn_id, step, idx) DO NOTHING RETURNING TRUE""",
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
        )
        return added is not None

    async def get(self, task_id: str) -> Task | None:
        row = await self._connection.fetchrow("SELECT * FROM tasks WHERE id = $1", task_id)
        return None if row is None else task_from(row)

    async def of_session(self, session_id: str) -> list[Task]:
        rows = await self._connection.fetch(
            "SELECT * FROM tasks WHERE session_id = $1 ORDER BY started_at, id", session_id
        )
        return [task_from(row) for row in rows]

    async def intend_kill_if_running(self, task_id: str) -> bool:
        intended = await self._connection.fetchval(
            "UPDATE tasks SET kill_intended = TRUE WHERE id = $1 AND status = 'running' RETURNING TRUE", task_id
        )
        return intended is not None

    async def finish_if_running(self, task_id: str, outcome: TaskOutcome) -> bool:
        session_id = await self._connection.fetchval(
            """UPDATE tasks SET status = $2, exit_code = $3, ended_at = wakeful_now()
               WHERE id = $1 AND status = 'running' RETURNING session_id""",
            task_id,
            outcome.status,
            outcome.exit_code,
        )
        if session_id is None:
            return False
        self._footprint.require_lock(session_id)
        return True
