"""Sessions in PostgreSQL."""

from collections.abc import Collection

from wakeful.model.inbox import UNASKED_SOURCES
from wakeful.model.session import Session, TitleOrigin, WakeReason
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection, sql_literal
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.sessions import SESSION_COLUMNS, session_from, session_values

# Locks in the order of ids, so that writes that lock several sessions cannot deadlock.
LOCK = "SELECT id FROM sessions WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE"

# A conflict updates nothing, but locks the existing row, so that the caller holds its lock either way.
_CREATE = f"""
    {insertion("sessions", SESSION_COLUMNS)}
    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner WHERE FALSE RETURNING TRUE
"""
_UNASKED = ", ".join(f"'{source}'" for source in sorted(UNASKED_SOURCES))
# Messages open a turn whatever is used up, but those of schedules and hooks wait for a day's spend.
_IS_FREE = f"i.kind = 'message' AND NOT (s.wake_reason = 'spend' AND i.source IN ({_UNASKED}))"
_MAY_OPEN = "(i.kind = 'message' OR (NOT s.is_held AND NOT s.is_blocked))"
# Rows from the future, and waits that are longer than possible, mean that the clock was set back: they are due now.
_DUE = f"""CASE WHEN ({_IS_FREE}) OR i.created_at > $1
        OR s.wake_at > $1 + CASE s.wake_reason WHEN 'spend' THEN 86400 ELSE 3600 END THEN 0
    ELSE greatest(i.not_before, coalesce(s.wake_at, 0)) END"""
_IDLE_WITH_PENDING = """
    FROM inbox i JOIN sessions s ON s.id = i.session_id
    WHERE i.status = 'pending' AND i.kind <> 'remark' AND s.active IS NULL AND s.purge_at IS NULL
"""
_IN_THE_LIST = "s.task_id IS NULL AND s.is_listed AND s.purge_at IS NULL AND s.is_archived = $2"

# A turn that notices opened is no response, so it need not be hidden.
_FORGOTTEN = """
    NOT s.is_listed AND s.task_id IS NULL AND s.purge_at IS NULL AND s.active IS NULL
    AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND NOT t.is_hidden AND NOT t.is_wakeup)
    AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.session_id = s.id AND t.status = 'running')
    AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_id = s.id AND i.status = 'pending' AND i.kind <> 'remark')
    AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.session_id = s.id)
"""


def locking(session_ids: Collection[str]) -> str:
    """Return a command to append to the one that begins a transaction, to save a round trip. It is a separate statement
    before all others, because a statement that waits for a lock sees the rows as they were before the wait.
    """
    # No session id contains NUL, and a command must not.
    ids = ", ".join(sql_literal(session_id) for session_id in session_ids if "\0" not in session_id)
    return f"; {LOCK.replace('$1', f'ARRAY[{ids}]')}" if ids else ""


class PostgresSessions:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def create_if_absent(self, session: Session) -> bool:
        created = await self._connection.fetchval(_CREATE, *session_values(session))
        self._footprint.note_locked(session.id)
        return created is not None

    async def get(self, session_id: str) -> Session | None:
        row = await self._connection.fetchrow("SELECT * FROM sessions WHERE id = $1", session_id)
        return None if row is None else session_from(row)

    async def change(
        self, session_id: str, *, title: str | None = None, model: str | None = None, mode: str | None = None
    ) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute(
            """UPDATE sessions SET title = coalesce($2, title), model = coalesce($3, model), mode = coalesce($4, mode),
                                   title_origin = CASE WHEN $2::text IS NULL THEN title_origin ELSE 'user' END,
                                   is_blocked = is_blocked AND coalesce($3, model) = model
               WHERE id = $1""",
            session_id,
            title,
            model,
            mode,
        )

    async def name(self, session_id: str, title: str, origin: TitleOrigin) -> None:
        await self._write("UPDATE sessions SET title = $2, title_origin = $3 WHERE id = $1", session_id, title, origin)

    async def count_title_try(self, session_id: str) -> None:
        await self._write("UPDATE sessions SET title_tries = title_tries + 1 WHERE id = $1", session_id)

    async def arrange(self, session_id: str, *, pinned: bool | None = None, archived: bool | None = None) -> None:
        await self._write(
            """UPDATE sessions SET is_pinned = coalesce($2, is_pinned), is_archived = coalesce($3, is_archived)
               WHERE id = $1""",
            session_id,
            pinned,
            archived,
        )
        # Lists that show the session have to read it again.
        self._footprint.sessions.add(session_id)

    async def set_todo(self, session_id: str, todo: bytes) -> None:
        await self._write("UPDATE sessions SET todo = $2 WHERE id = $1", session_id, todo)

    async def rewind(self, session_id: str, *, head: str | None, checkpoint: str | None, message_count: int) -> None:
        await self._write(
            "UPDATE sessions SET head = $2, checkpoint = $3, message_count = $4 WHERE id = $1",
            session_id,
            head,
            checkpoint,
            message_count,
        )

    async def delete(self, session_id: str, purge_at: float) -> None:
        await self._write(
            "UPDATE sessions SET purge_at = least(coalesce(purge_at, $2), $2) WHERE id = $1", session_id, purge_at
        )
        self._footprint.sessions.add(session_id)

    async def restore_if_whole(self, session_id: str, now: float) -> bool:
        self._footprint.require_lock(session_id)
        restored = await self._connection.fetchval(
            "UPDATE sessions SET purge_at = NULL WHERE id = $1 AND purge_at > $2 RETURNING TRUE", session_id, now
        )
        self._footprint.sessions.add(session_id)
        return restored is not None

    async def children(self, session_id: str) -> list[str]:
        rows = await self._connection.fetch(
            """SELECT s.id FROM tasks t JOIN sessions s ON s.task_id = t.id
               WHERE t.session_id = $1 AND NOT s.is_purged ORDER BY s.id""",
            session_id,
        )
        return [row["id"] for row in rows]

    async def forgotten(self, limit: int) -> list[str]:
        rows = await self._connection.fetch(
            f"""SELECT DISTINCT s.id FROM turns h JOIN sessions s ON s.id = h.session_id
                WHERE h.is_hidden AND {_FORGOTTEN} LIMIT $1""",
            limit,
        )
        return [row["id"] for row in rows]

    async def delete_if_forgotten(self, session_id: str, purge_at: float) -> bool:
        self._footprint.require_lock(session_id)
        tag = await self._connection.execute(
            f"UPDATE sessions s SET purge_at = $2 WHERE s.id = $1 AND {_FORGOTTEN}", session_id, purge_at
        )
        return tag == "UPDATE 1"

    async def to_purge(self, now: float) -> list[str]:
        rows = await self._connection.fetch(
            """SELECT id FROM sessions WHERE purge_at IS NOT NULL AND NOT is_purged AND purge_at <= $1
               ORDER BY purge_at, id""",
            now,
        )
        return [row["id"] for row in rows]

    async def next_purge(self) -> float | None:
        due: float | None = await self._connection.fetchval(
            "SELECT min(purge_at) FROM sessions WHERE purge_at IS NOT NULL AND NOT is_purged"
        )
        return due

    async def page(
        self,
        owner: str | None,
        *,
        among: Collection[str] | None = None,
        before: tuple[float, str] | None = None,
        limit: int,
        archived: bool = False,
        pinned: bool | None = None,
        key: str = "",
    ) -> list[Session]:
        # Conditions are left out instead of written as "$3 IS NULL OR …", which could not use an index.
        wanted, arguments = [_IN_THE_LIST], list[object]([limit, archived])
        if pinned is not None:
            wanted.append("s.is_pinned" if pinned else "NOT s.is_pinned")
        if owner is not None:
            wanted.append(f"s.owner = ${len(arguments) + 1}")
            arguments.append(owner)
        if before is not None:
            wanted.append(f"(s.updated_at, s.id) < (${len(arguments) + 1}, ${len(arguments) + 2})")
            arguments += before
        if among is not None:
            wanted.append(f"s.id = ANY(${len(arguments) + 1}::text[])")
            arguments.append(list(among))
        if key:
            wanted.append(f"s.chat_key = ${len(arguments) + 1} AND s.chat_key <> ''")
            arguments.append(key)
        rows = await self._connection.fetch(
            f"SELECT s.* FROM sessions s WHERE {' AND '.join(wanted)} ORDER BY s.updated_at DESC, s.id DESC LIMIT $1",
            *arguments,
        )
        return [session_from(row) for row in rows]

    async def wake_later(self, session_id: str, at: float | None, reason: WakeReason = WakeReason.BUDGET) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute(
            "UPDATE sessions SET wake_at = $2, wake_reason = $3 WHERE id = $1", session_id, at, reason
        )

    async def end_spend_waits(self) -> None:
        await self._connection.execute(
            "UPDATE sessions SET wake_at = NULL WHERE wake_at IS NOT NULL AND wake_reason = 'spend'"
        )

    async def ready(self, now: float) -> list[str]:
        rows = await self._connection.fetch(
            f"""SELECT DISTINCT s.id {_IDLE_WITH_PENDING}
                AND {_MAY_OPEN} AND {_DUE} <= $1 ORDER BY s.id""",
            now,
        )
        return [row["id"] for row in rows]

    async def ready_since(self, now: float) -> float | None:
        since: float | None = await self._connection.fetchval(
            f"""SELECT min(greatest(i.created_at, {_DUE})) {_IDLE_WITH_PENDING}
                AND {_MAY_OPEN} AND {_DUE} <= $1""",
            now,
        )
        return since

    async def next_due(self, now: float) -> float | None:
        due: float | None = await self._connection.fetchval(
            f"""SELECT min({_DUE}) {_IDLE_WITH_PENDING}
                AND {_MAY_OPEN} AND {_DUE} > $1""",
            now,
        )
        return due

    async def _write(self, statement: str, session_id: str, *arguments: object) -> None:
        """Run a statement whose first argument is the session's id."""
        self._footprint.require_lock(session_id)
        await self._connection.execute(statement, session_id, *arguments)
