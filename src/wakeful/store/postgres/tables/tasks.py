"""Background tasks in PostgreSQL."""

from wakeful.model.tasks.task import Host, Task, TaskOutcome
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.row import decode_rows
from wakeful.store.rows.tasks import TASK_COLUMNS, task_from, task_values

# Joined with the notice of its end, if there is one.
_WITH_NOTICE = """
    SELECT t.*, i.status AS notice_status, i.claimed_by AS woke_turn_id
    FROM {tasks} t LEFT JOIN inbox i ON i.session_id = t.session_id AND i.dedupe_key = 'task:' || t.id
"""
_READ = _WITH_NOTICE.format(tasks="tasks")

# `free` are the unwatched tasks when the statement began, `still` those of them that no node has taken since. Locked
# tasks are skipped until the next call, so that this neither waits for other writes nor deadlocks with them.
_ADOPT = """
    WITH free AS MATERIALIZED (
        SELECT t.id, t.node FROM tasks t LEFT JOIN nodes n ON n.id = t.node
        WHERE t.status = 'running' AND (t.kind = 'delegation' OR t.host = $1) AND {unwatched}
    ), still AS MATERIALIZED (
        SELECT t.id FROM tasks t JOIN free f ON f.id = t.id
        WHERE t.status = 'running' AND t.node IS NOT DISTINCT FROM f.node
        FOR UPDATE OF t SKIP LOCKED
    ), adopted AS (
        UPDATE tasks t SET node = $2 FROM still WHERE t.id = still.id RETURNING t.*
    )
""" + _WITH_NOTICE.format(tasks="adopted")


class PostgresTasks:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def add_if_absent(self, task: Task) -> bool:
        self._footprint.require_lock(task.session_id)
        added = await self._connection.fetchval(
            f"{insertion('tasks', TASK_COLUMNS)} ON CONFLICT (turn_id, step, idx, part) DO NOTHING RETURNING TRUE",
            *task_values(task),
        )
        return added is not None

    async def get(self, task_id: str) -> Task | None:
        row = await self._connection.fetchrow(f"{_READ} WHERE t.id = $1", task_id)
        return None if row is None else task_from(row)

    async def of_call(self, turn_id: str, step: int, index: int) -> list[Task]:
        return await self._read(
            f"{_READ} WHERE t.turn_id = $1 AND t.step = $2 AND t.idx = $3 ORDER BY t.part", turn_id, step, index
        )

    async def of_session(self, session_id: str) -> list[Task]:
        return await self._read(f"{_READ} WHERE t.session_id = $1 ORDER BY t.started_at, t.id", session_id)

    async def running_in(self, session_id: str) -> list[Task]:
        return await self._read(
            f"{_READ} WHERE t.session_id = $1 AND t.status = 'running' ORDER BY t.started_at, t.id", session_id
        )

    async def recent(self, session_id: str, *, ended: int) -> list[Task]:
        return await self._read(
            f"""{_READ} WHERE t.id IN (
                    SELECT id FROM tasks WHERE session_id = $1 AND status = 'running'
                    UNION ALL (SELECT id FROM tasks WHERE session_id = $1 AND status <> 'running'
                               ORDER BY started_at DESC, id DESC LIMIT $2))
                ORDER BY t.started_at DESC, t.id DESC""",
            session_id,
            ended,
        )

    async def page(self, owner: str | None, *, limit: int) -> list[Task]:
        shown = f"{_READ} JOIN sessions s ON s.id = t.session_id WHERE s.purge_at IS NULL"
        newest = "ORDER BY t.started_at DESC, t.id DESC LIMIT $1"
        if owner is None:
            return await self._read(f"{shown} {newest}", limit)
        return await self._read(f"{shown} AND t.owner = $2 {newest}", limit, owner)

    async def has_promised(self, session_id: str) -> bool:
        found: bool = await self._connection.fetchval(
            """SELECT EXISTS (SELECT 1 FROM tasks WHERE session_id = $1 AND status = 'running' AND will_notify
               AND NOT kill_intended)""",
            session_id,
        )
        return found

    async def running_of(self, owner: str) -> list[Task]:
        return await self._read(
            f"""{_READ} JOIN sessions s ON s.id = t.session_id
                WHERE t.status = 'running' AND t.owner = $1 AND NOT t.is_inline
                AND s.task_id IS NULL AND s.is_listed AND s.purge_at IS NULL ORDER BY t.started_at, t.id""",
            owner,
        )

    async def adopt(self, host: Host, node: str, now: float, *, keeper: str | None) -> list[Task]:
        unwatched = "coalesce(n.lease_until, 0) <= $3" if keeper is None else "t.node IS DISTINCT FROM $3"
        return await self._read(
            f"{_ADOPT.format(unwatched=unwatched)} ORDER BY t.started_at, t.id",
            host.id,
            node,
            now if keeper is None else keeper,
        )

    async def watched_by(self, node: str) -> list[Task]:
        return await self._read(f"{_READ} WHERE t.status = 'running' AND t.node = $1 ORDER BY t.started_at, t.id", node)

    async def of_silent_hosts(self, before: float) -> list[Task]:
        return await self._read(
            f"""{_READ} WHERE t.status = 'running' AND t.kind = 'process'
                AND NOT EXISTS (SELECT 1 FROM hosts h WHERE h.id = t.host AND h.seen_at >= $1)
                ORDER BY t.started_at, t.id""",
            before,
        )

    async def next_attempt_if(self, task_id: str, attempt: int) -> bool:
        counted = await self._connection.fetchval(
            """UPDATE tasks SET attempt = attempt + 1 WHERE id = $1 AND attempt = $2 AND status = 'running'
               RETURNING TRUE""",
            task_id,
            attempt,
        )
        return counted is not None

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        await self._connection.execute(
            "UPDATE tasks SET watch = $2, will_notify = coalesce($3, will_notify) WHERE id = $1",
            task_id,
            watch,
            will_notify,
        )

    async def take_promises_back(self, session_id: str) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute(
            "UPDATE tasks SET will_notify = FALSE WHERE session_id = $1 AND status = 'running'", session_id
        )

    async def intend_kill_if_running(self, task_id: str) -> bool:
        session_id = await self._connection.fetchval(
            "UPDATE tasks SET kill_intended = TRUE WHERE id = $1 AND status = 'running' RETURNING session_id", task_id
        )
        if session_id is None:
            return False
        # The node that watches the task has to read it again.
        self._footprint.sessions.add(session_id)
        return True

    async def intend_kill_of_inline(self, turn_id: str) -> None:
        rows = await self._connection.fetch(
            """UPDATE tasks SET kill_intended = TRUE WHERE turn_id = $1 AND is_inline AND status = 'running'
               RETURNING session_id""",
            turn_id,
        )
        self._footprint.sessions.update(row["session_id"] for row in rows)

    async def finish_if_running(self, task_id: str, outcome: TaskOutcome) -> bool:
        session_id = await self._connection.fetchval(
            """UPDATE tasks SET status = $2, exit_code = $3, result = $4, ended_at = wakeful_now()
               WHERE id = $1 AND status = 'running' RETURNING session_id""",
            task_id,
            outcome.status,
            outcome.exit_code,
            outcome.result.encode(),
        )
        if session_id is None:
            return False
        self._footprint.require_lock(session_id)
        return True

    async def _read(self, query: str, *arguments: object) -> list[Task]:
        return decode_rows(task_from, await self._connection.fetch(query, *arguments))
