"""Sessions in SQLite."""

import sqlite3
from typing import Any

from wakeful.model.session import Session
from wakeful.store.decode import session_from
from wakeful.store.footprint import Footprint

_MAY_WAKE = "NOT s.is_held AND NOT s.is_blocked"
_DUE = "max(i.not_before, coalesce(s.wake_at, 0))"
_IDLE_WITH_PENDING = """
    FROM inbox i JOIN sessions s ON s.id = i.session_id
    WHERE i.status = 'pending' AND s.active IS NULL
"""
_SAYS = """(contains(s.title, ?) OR EXISTS (
    SELECT 1 FROM turns t JOIN journal j ON j.turn_id = t.id
    WHERE t.session_id = s.id AND contains(text_of(j.payload), ?)
))"""


class SqliteSessions:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def create_if_absent(self, session: Session) -> bool:
        address = session.address
        cursor = self._connection.execute(
            """INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, title, task_id,
                                     is_listed, head, checkpoint, created_at, updated_at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING""",
            (
                session.id,
                session.owner,
                address.platform,
                address.chat_id,
                address.thread_id,
                session.model,
                session.workspace,
                session.title,
                session.task_id,
                session.is_listed,
                session.head,
                session.checkpoint,
                session.created_at,
                session.updated_at,
            ),
        )
        self._footprint.note_locked(session.id)
        return cursor.rowcount == 1

    async def get(self, session_id: str) -> Session | None:
        row = self._connection.execute("SELECT * FROM sessions WHERE id = ?", (session_id,)).fetchone()
        return None if row is None else session_from(row)

    async def change(self, session_id: str, *, title: str | None = None, model: str | None = None) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute(
            """UPDATE sessions SET title = coalesce(?1, title), model = coalesce(?2, model),
                                   is_blocked = is_blocked AND coalesce(?2, model) = model
               WHERE id = ?3""",
            (title, model, session_id),
        )

    async def page(
        self, owner: str | None, *, query: str = "", before: tuple[float, str] | None = None, limit: int
    ) -> list[Session]:
        wanted, arguments = ["s.task_id IS NULL AND s.is_listed"], list[Any]()
        if owner is not None:
            wanted.append("s.owner = ?")
            arguments.append(owner)
        if before is not None:
            wanted.append("(s.updated_at, s.id) < (?, ?)")
            arguments += before
        if query:
            wanted.append(_SAYS)
            arguments += [query, query]
        rows = self._connection.execute(
            f"SELECT s.* FROM sessions s WHERE {' AND '.join(wanted)} ORDER BY s.updated_at DESC, s.id DESC LIMIT ?",
            [*arguments, limit],
        )
        return [session_from(row) for row in rows]

    async def activate(self, session_id: str, turn_id: str, *, release_hold: bool) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute(
            "UPDATE sessions SET active = ?, is_held = is_held AND NOT ?, wake_at = NULL WHERE id = ?",
            (turn_id, release_hold, session_id),
        )

    async def settle(
        self, session_id: str, *, head: str, checkpoint: str | None, is_held: bool, is_blocked: bool
    ) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute(
            """UPDATE sessions SET active = NULL, head = ?1, checkpoint = ?2, is_held = ?3, is_blocked = ?4,
                   message_count = message_count + (SELECT count(*) FROM journal WHERE turn_id = ?1)
               WHERE id = ?5""",
            (head, checkpoint, is_held, is_blocked, session_id),
        )

    async def wake_later(self, session_id: str, at: float | None) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute("UPDATE sessions SET wake_at = ? WHERE id = ?", (at, session_id))

    async def ready(self, now: float) -> list[str]:
        rows = self._connection.execute(
            f"""SELECT DISTINCT s.id {_IDLE_WITH_PENDING}
                AND (i.kind = 'message' OR ({_MAY_WAKE} AND {_DUE} <= ?)) ORDER BY s.id""",
            (now,),
        )
        return [row[0] for row in rows]

    async def next_due(self, now: float) -> float | None:
        row = self._connection.execute(
            f"""SELECT min({_DUE}) {_IDLE_WITH_PENDING}
                AND i.kind <> 'message' AND {_MAY_WAKE} AND {_DUE} > ?""",
            (now,),
        ).fetchone()
        due: float | None = row[0]
        return due
