"""Sessions in SQLite."""

import sqlite3
from collections.abc import Collection
from typing import Any

from wakeful.model.inbox import UNASKED_SOURCES
from wakeful.model.session import Session, TitleOrigin, WakeReason
from wakeful.store.footprint import Footprint
from wakeful.store.rows.sessions import SESSION_COLUMNS, session_from, session_values
from wakeful.store.sqlite.statement import insertion

_CREATE = f"{insertion('sessions', SESSION_COLUMNS)} ON CONFLICT (id) DO NOTHING"
_UNASKED = ", ".join(f"'{source}'" for source in sorted(UNASKED_SOURCES))
# Messages open a turn whatever is used up, but those of schedules and hooks wait for a day's spend.
_IS_FREE = f"i.kind = 'message' AND NOT (s.wake_reason = 'spend' AND i.source IN ({_UNASKED}))"
_MAY_OPEN = "(i.kind = 'message' OR (NOT s.is_held AND NOT s.is_blocked))"
# Rows from the future, and waits that are longer than possible, mean that the clock was set back: they are due now.
_DUE = f"""CASE WHEN ({_IS_FREE}) OR i.created_at > :now
        OR s.wake_at > :now + CASE s.wake_reason WHEN 'spend' THEN 86400 ELSE 3600 END THEN 0
    ELSE max(i.not_before, coalesce(s.wake_at, 0)) END"""
_IDLE_WITH_PENDING = """
    FROM inbox i JOIN sessions s ON s.id = i.session_id
    WHERE i.status = 'pending' AND i.kind <> 'remark' AND s.active IS NULL AND s.purge_at IS NULL
"""
_IN_THE_LIST = "s.task_id IS NULL AND s.is_listed AND s.purge_at IS NULL AND s.is_archived = ?"

# A turn that notices opened is no response, so it need not be hidden.
_FORGOTTEN = """
    NOT s.is_listed AND s.task_id IS NULL AND s.purge_at IS NULL AND s.active IS NULL
    AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND NOT t.is_hidden AND NOT t.is_wakeup)
    AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.session_id = s.id AND t.status = 'running')
    AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_id = s.id AND i.status = 'pending' AND i.kind <> 'remark')
    AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.session_id = s.id)
"""


class SqliteSessions:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def create_if_absent(self, session: Session) -> bool:
        cursor = self._connection.execute(_CREATE, session_values(session))
        self._footprint.note_locked(session.id)
        return cursor.rowcount == 1

    async def get(self, session_id: str) -> Session | None:
        row = self._connection.execute("SELECT * FROM sessions WHERE id = ?", (session_id,)).fetchone()
        return None if row is None else session_from(row)

    async def change(
        self, session_id: str, *, title: str | None = None, model: str | None = None, mode: str | None = None
    ) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute(
            """UPDATE sessions SET title = coalesce(?1, title), model = coalesce(?2, model), mode = coalesce(?4, mode),
                                   title_origin = CASE WHEN ?1 IS NULL THEN title_origin ELSE 'user' END,
                                   is_blocked = is_blocked AND coalesce(?2, model) = model
               WHERE id = ?3""",
            (title, model, session_id, mode),
        )

    async def name(self, session_id: str, title: str, origin: TitleOrigin) -> None:
        self._write("UPDATE sessions SET title = ?, title_origin = ? WHERE id = ?", session_id, title, origin)

    async def count_title_try(self, session_id: str) -> None:
        self._write("UPDATE sessions SET title_tries = title_tries + 1 WHERE id = ?", session_id)

    async def arrange(self, session_id: str, *, pinned: bool | None = None, archived: bool | None = None) -> None:
        self._write(
            """UPDATE sessions SET is_pinned = coalesce(?, is_pinned), is_archived = coalesce(?, is_archived)
               WHERE id = ?""",
            session_id,
            pinned,
            archived,
        )
        # Lists that show the session have to read it again.
        self._footprint.sessions.add(session_id)

    async def set_todo(self, session_id: str, todo: bytes) -> None:
        self._write("UPDATE sessions SET todo = ? WHERE id = ?", session_id, todo)

    async def rewind(self, session_id: str, *, head: str | None, checkpoint: str | None, message_count: int) -> None:
        self._write(
            "UPDATE sessions SET head = ?, checkpoint = ?, message_count = ? WHERE id = ?",
            session_id,
            head,
            checkpoint,
            message_count,
        )

    async def delete(self, session_id: str, purge_at: float) -> None:
        self._write(
            "UPDATE sessions SET purge_at = min(coalesce(purge_at, ?1), ?1) WHERE id = ?2", session_id, purge_at
        )
        self._footprint.sessions.add(session_id)

    async def restore_if_whole(self, session_id: str, now: float) -> bool:
        self._footprint.require_lock(session_id)
        cursor = self._connection.execute(
            "UPDATE sessions SET purge_at = NULL WHERE id = ? AND purge_at > ?", (session_id, now)
        )
        self._footprint.sessions.add(session_id)
        return cursor.rowcount == 1

    async def children(self, session_id: str) -> list[str]:
        rows = self._connection.execute(
            """SELECT s.id FROM tasks t JOIN sessions s ON s.task_id = t.id
               WHERE t.session_id = ? AND NOT s.is_purged ORDER BY s.id""",
            (session_id,),
        )
        return [row[0] for row in rows]

    async def forgotten(self, limit: int) -> list[str]:
        rows = self._connection.execute(
            f"""SELECT DISTINCT s.id FROM turns h CROSS JOIN sessions s ON s.id = h.session_id
                WHERE h.is_hidden AND {_FORGOTTEN} LIMIT ?""",
            (limit,),
        )
        return [row[0] for row in rows]

    async def delete_if_forgotten(self, session_id: str, purge_at: float) -> bool:
        self._footprint.require_lock(session_id)
        cursor = self._connection.execute(
            f"UPDATE sessions AS s SET purge_at = ? WHERE s.id = ? AND {_FORGOTTEN}", (purge_at, session_id)
        )
        return cursor.rowcount == 1

    async def to_purge(self, now: float) -> list[str]:
        rows = self._connection.execute(
            """SELECT id FROM sessions WHERE purge_at IS NOT NULL AND NOT is_purged AND purge_at <= ?
               ORDER BY purge_at, id""",
            (now,),
        )
        return [row[0] for row in rows]

    async def next_purge(self) -> float | None:
        row = self._connection.execute(
            "SELECT min(purge_at) FROM sessions WHERE purge_at IS NOT NULL AND NOT is_purged"
        ).fetchone()
        due: float | None = row[0]
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
        wanted, arguments = [_IN_THE_LIST], list[Any]([archived])
        if pinned is not None:
            wanted.append("s.is_pinned" if pinned else "NOT s.is_pinned")
        if owner is not None:
            wanted.append("s.owner = ?")
            arguments.append(owner)
        if before is not None:
            wanted.append("(s.updated_at, s.id) < (?, ?)")
            arguments += before
        if among is not None:
            wanted.append(f"s.id IN ({', '.join('?' * len(among))})")
            arguments += among
        if key:
            # The second condition is that of the index.
            wanted.append("s.chat_key = ? AND s.chat_key <> ''")
            arguments.append(key)
        # SQLite does not know that few sessions are pinned or found, and would scan the whole list.
        index = "INDEXED BY sessions_pinned" if pinned else ""
        if among is not None:
            index = "INDEXED BY sqlite_autoindex_sessions_1"
        elif key:
            index = "INDEXED BY sessions_by_chat_key"
        rows = self._connection.execute(
            f"""SELECT s.* FROM sessions s {index} WHERE {" AND ".join(wanted)}
                ORDER BY s.updated_at DESC, s.id DESC LIMIT ?""",
            [*arguments, limit],
        )
        return [session_from(row) for row in rows]

    async def wake_later(self, session_id: str, at: float | None, reason: WakeReason = WakeReason.BUDGET) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute(
            "UPDATE sessions SET wake_at = ?, wake_reason = ? WHERE id = ?", (at, reason, session_id)
        )

    async def end_spend_waits(self) -> None:
        self._connection.execute(
            "UPDATE sessions SET wake_at = NULL WHERE wake_at IS NOT NULL AND wake_reason = 'spend'"
        )

    async def ready(self, now: float) -> list[str]:
        rows = self._connection.execute(
            f"""SELECT DISTINCT s.id {_IDLE_WITH_PENDING}
                AND {_MAY_OPEN} AND {_DUE} <= :now ORDER BY s.id""",
            {"now": now},
        )
        return [row[0] for row in rows]

    async def ready_since(self, now: float) -> float | None:
        row = self._connection.execute(
            f"""SELECT min(max(i.created_at, {_DUE})) {_IDLE_WITH_PENDING}
                AND {_MAY_OPEN} AND {_DUE} <= :now""",
            {"now": now},
        ).fetchone()
        since: float | None = row[0]
        return since

    async def next_due(self, now: float) -> float | None:
        row = self._connection.execute(
            f"""SELECT min({_DUE}) {_IDLE_WITH_PENDING}
                AND {_MAY_OPEN} AND {_DUE} > :now""",
            {"now": now},
        ).fetchone()
        due: float | None = row[0]
        return due

    def _write(self, statement: str, session_id: str, *arguments: object) -> None:
        """Run a statement whose last argument is the session's id."""
        self._footprint.require_lock(session_id)
        self._connection.execute(statement, (*arguments, session_id))
