"""The end of a deleted session in SQLite."""

import sqlite3

from wakeful.store.footprint import Footprint

# What only the session has, in an order in which nothing points at what is gone, and what tells its rows apart.
_TABLES = {
    "seen": "owner",
    "grants": "id",
    "news": "number",
    "approvals": "turn_id",
    "conversations": "id",
    "events": "session_seq",
    "inbox": "id",
    "tasks": "id",
}
# Turns that nobody grows from: no turn elsewhere, no other session, and nothing here that one of those stands on.
_UNNEEDED = """
    WITH RECURSIVE needed (id) AS (
        SELECT p.id FROM turns p JOIN turns c ON c.parent = p.id WHERE p.session_id = ?1 AND c.session_id <> ?1
        UNION
        SELECT t.id FROM sessions s JOIN turns t ON t.id IN (s.head, s.checkpoint)
        WHERE t.session_id = ?1 AND s.id <> ?1
        UNION
        SELECT p.id FROM needed n JOIN turns t ON t.id = n.id JOIN turns p ON p.id = t.parent WHERE p.session_id = ?1
    )
    SELECT id FROM turns WHERE session_id = ?1 AND id NOT IN (SELECT id FROM needed)
"""
# Deleted sessions that this one stands on: when it is gone, they may have less to keep.
_KEPT_FOR_IT = """
    SELECT p.session_id FROM turns t JOIN turns p ON p.id = t.parent WHERE t.session_id = ?1
    UNION
    SELECT p.session_id FROM sessions s JOIN turns p ON p.id IN (s.head, s.checkpoint) WHERE s.id = ?1
"""


class SqlitePurges:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def remove_some(self, session_id: str, limit: int) -> bool:
        self._footprint.require_lock(session_id)
        return any(self._remove(table, key, session_id, limit) for table, key in _TABLES.items())

    async def remove_turns(self, session_id: str) -> None:
        self._footprint.require_lock(session_id)
        kept = f"UPDATE sessions SET is_purged = 0 WHERE is_purged AND id <> ?1 AND id IN ({_KEPT_FOR_IT})"
        self._execute(kept, session_id)
        self._execute("UPDATE sessions SET head = NULL, checkpoint = NULL, active = NULL WHERE id = ?1", session_id)
        for table, column in (("idempotency_keys", "turn_id"), ("journal", "turn_id"), ("turns", "id")):
            self._execute(f"DELETE FROM {table} WHERE {column} IN ({_UNNEEDED})", session_id)
        is_left = "EXISTS (SELECT 1 FROM turns WHERE session_id = ?1)"
        self._execute(f"UPDATE sessions SET is_purged = 1, title = '' WHERE id = ?1 AND {is_left}", session_id)
        self._execute(f"DELETE FROM sessions WHERE id = ?1 AND NOT {is_left}", session_id)
        self._footprint.sessions.add(session_id)

    def _remove(self, table: str, key: str, session_id: str, limit: int) -> bool:
        cursor = self._connection.execute(
            f"""DELETE FROM {table} WHERE session_id = ?1 AND {key} IN (
                    SELECT {key} FROM {table} WHERE session_id = ?1 LIMIT ?2)""",
            (session_id, limit),
        )
        return cursor.rowcount > 0

    def _execute(self, statement: str, session_id: str) -> None:
        self._connection.execute(statement, (session_id,))
