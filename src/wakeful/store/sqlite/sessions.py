"""Sessions in SQLite."""

import sqlite3

from wakeful.model.session import Session
from wakeful.store.decode import session_from
from wakeful.store.footprint import Footprint

_MAY_WAKE = "NOT s.is_held AND NOT s.is_blocked"
_DUE = "max(i.not_before, coalesce(s.wake_at, 0))"
_IDLE_WITH_PENDING = """
    FROM inbox i JOIN sessions s ON s.id = i.session_id
    WHERE i.status = 'pending' AND s.active IS NULL
"""


class SqliteSessions:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def create_if_absent(self, session: Session) -> bool:
        address = session.address
        cursor = self._connection.execute(
            """INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, head, checkpoint,
                                     created_at, updated_at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING""",
            (
                session.id,
                session.owner,
                address.platform,
                address.chat_id,
                address.thread_id,
                session.model,
                session.workspace,
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
            """UPDATE sessions SET active = NULL, head = ?, checkpoint = ?, is_held = ?, is_blocked = ?
               WHERE id = ?""",
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
