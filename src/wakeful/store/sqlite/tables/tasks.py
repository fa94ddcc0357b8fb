"""Background tasks in SQLite."""

import sqlite3
from collections.abc import Callable

from wakeful.model.tasks.task import Host, Task, TaskOutcome
from wakeful.store.footprint import Footprint
from wakeful.store.rows.row import decode_rows
from wakeful.store.rows.tasks import TASK_COLUMNS, task_from, task_values
from wakeful.store.sqlite.statement import insertion

# Joined with the notice of its end, if there is one.
_READ = """
    SELECT t.*, i.status AS notice_status, i.claimed_by AS woke_turn_id
    FROM tasks t LEFT JOIN inbox i ON i.session_id = t.session_id AND i.dedupe_key = 'task:' || t.id
"""


class SqliteTasks:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float], footprint: Footprint) -> None:
        self._connection = connection
        self._clock = clock
        self._footprint = footprint

    async def add_if_absent(self, task: Task) -> bool:
        self._footprint.require_lock(task.session_id)
        cursor = self._connection.execute(
            f"{insertion('tasks', TASK_COLUMNS)} ON CONFLICT (turn_id, step, idx, part) DO NOTHING", task_values(task)
        )
        return cursor.rowcount == 1

    async def get(self, task_id: str) -> Task | None:
        row = self._connection.execute(f"{_READ} WHERE t.id = ?", (task_id,)).fetchone()
        return None if row is None else task_from(row)

    async def of_call(self, turn_id: str, step: int, index: int) -> list[Task]:
        return self._read("WHERE t.turn_id = ? AND t.step = ? AND t.idx = ? ORDER BY t.part", turn_id, step, index)

    async def of_session(self, session_id: str) -> list[Task]:
        return self._read("WHERE t.session_id = ? ORDER BY t.started_at, t.id", session_id)

    async def running_in(self, session_id: str) -> list[Task]:
        return self._read("WHERE t.session_id = ? AND t.status = 'running' ORDER BY t.started_at, t.id", session_id)

    async def recent(self, session_id: str, *, ended: int) -> list[Task]:
        return self._read(
            """WHERE t.id IN (
                   SELECT id FROM tasks WHERE session_id = ? AND status = 'running'
                   UNION ALL SELECT id FROM (
                       SELECT id FROM tasks WHERE session_id = ? AND status <> 'running'
                       ORDER BY started_at DESC, id DESC LIMIT ?))
               ORDER BY t.started_at DESC, t.id DESC""",
            session_id,
            session_id,
            ended,
        )

    async def page(self, owner: str | None, *, limit: int) -> list[Task]:
        shown = "JOIN sessions s ON s.id = t.session_id WHERE s.purge_at IS NULL"
        newest = "ORDER BY t.started_at DESC, t.id DESC LIMIT ?"
        if owner is None:
            return self._read(f"{shown} {newest}", limit)
        return self._read(f"{shown} AND t.owner = ? {newest}", owner, limit)

    async def has_promised(self, session_id: str) -> bool:
        row = self._connection.execute(
            """SELECT 1 FROM tasks WHERE session_id = ? AND status = 'running' AND will_notify AND NOT kill_intended
               LIMIT 1""",
            (session_id,),
        ).fetchone()
        return row is not None

    async def running_of(self, owner: str) -> list[Task]:
        return self._read(
            """JOIN sessions s ON s.id = t.session_id
               WHERE t.status = 'running' AND t.owner = ? AND NOT t.is_inline
               AND s.task_id IS NULL AND s.is_listed AND s.purge_at IS NULL ORDER BY t.started_at, t.id""",
            owner,
        )

    async def adopt(self, host: Host, node: str, now: float, *, keeper: str | None) -> list[Task]:
        unwatched = "node IS NOT ?"
        if keeper is None:
            unwatched = "NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = node AND n.lease_until > ?)"
        rows = self._connection.execute(
            f"""UPDATE tasks SET node = ?
                WHERE status = 'running' AND (kind = 'delegation' OR host = ?) AND {unwatched} RETURNING id""",
            (node, host.id, now if keeper is None else keeper),
        ).fetchall()
        marks = ", ".join("?" * len(rows))
        return self._read(f"WHERE t.id IN ({marks}) ORDER BY t.started_at, t.id", *(row["id"] for row in rows))

    async def watched_by(self, node: str) -> list[Task]:
        return self._read("WHERE t.status = 'running' AND t.node = ? ORDER BY t.started_at, t.id", node)

    async def of_silent_hosts(self, before: float) -> list[Task]:
        return self._read(
            """WHERE t.status = 'running' AND t.kind = 'process'
               AND NOT EXISTS (SELECT 1 FROM hosts h WHERE h.id = t.host AND h.seen_at >= ?)
               ORDER BY t.started_at, t.id""",
            before,
        )

    async def next_attempt_if(self, task_id: str, attempt: int) -> bool:
        cursor = self._connection.execute(
            "UPDATE tasks SET attempt = attempt + 1 WHERE id = ? AND attempt = ? AND status = 'running'",
            (task_id, attempt),
        )
        return cursor.rowcount == 1

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        self._connection.execute(
            "UPDATE tasks SET watch = ?, will_notify = coalesce(?, will_notify) WHERE id = ?",
            (watch, will_notify, task_id),
        )

    async def take_promises_back(self, session_id: str) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute(
            "UPDATE tasks SET will_notify = 0 WHERE session_id = ? AND status = 'running'", (session_id,)
        )

    async def intend_kill_if_running(self, task_id: str) -> bool:
        row = self._connection.execute(
            "UPDATE tasks SET kill_intended = 1 WHERE id = ? AND status = 'running' RETURNING session_id", (task_id,)
        ).fetchone()
        if row is None:
            return False
        # The node that watches the task has to read it again.
        self._footprint.sessions.add(row["session_id"])
        return True

    async def intend_kill_of_inline(self, turn_id: str) -> None:
        rows = self._connection.execute(
            """UPDATE tasks SET kill_intended = 1 WHERE turn_id = ? AND is_inline AND status = 'running'
               RETURNING session_id""",
            (turn_id,),
        ).fetchall()
        self._footprint.sessions.update(row["session_id"] for row in rows)

    async def finish_if_running(self, task_id: str, outcome: TaskOutcome) -> bool:
        row = self._connection.execute(
            """UPDATE tasks SET status = ?, exit_code = ?, result = ?, ended_at = ?
               WHERE id = ? AND status = 'running' RETURNING session_id""",
            (outcome.status, outcome.exit_code, outcome.result.encode(), self._clock(), task_id),
        ).fetchone()
        if row is None:
            return False
        self._footprint.require_lock(row["session_id"])
        return True

    def _read(self, which: str, *arguments: object) -> list[Task]:
        return decode_rows(task_from, self._connection.execute(f"{_READ} {which}", arguments))
