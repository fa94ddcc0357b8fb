"""Removes deleted sessions from SQLite."""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from wakeful.model.turn import removable_turns
from wakeful.store.footprint import Footprint
from wakeful.store.rows.records import entry_from
from wakeful.store.sqlite.search.search import SqliteSearch
from wakeful.store.sqlite.space import give_back

# Tables of what belongs to one session alone, and a column that tells their rows apart. In this order no row refers to
# one that is gone.
_TABLES = {
    "seen": "owner",
    "grants": "id",
    "news": "number",
    "approvals": "turn_id",
    "changes": "turn_id",
    "conversations": "id",
    "events": "session_seq",
    "inbox": "id",
    "tasks": "id",
    "posts": "id",
    "chats": "key",
    "outbox_cursors": "session_id",
    "told": "session_id",
}


class SqlitePurges:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint, search: SqliteSearch) -> None:
        self._connection = connection
        self._footprint = footprint
        self._search = search

    async def remove_some(self, session_id: str, limit: int) -> bool:
        self._footprint.require_lock(session_id)
        for table, key in _TABLES.items():
            limit -= self._remove(table, key, session_id, limit)
            if limit <= 0:
                return True
        return False

    async def let_go(self, session_id: str) -> None:
        self._footprint.require_lock(session_id)
        self._look_again(
            session_id, "SELECT head FROM sessions WHERE id = ?1 UNION SELECT checkpoint FROM sessions WHERE id = ?1"
        )
        self._connection.execute(
            "UPDATE sessions SET head = NULL, checkpoint = NULL, active = NULL, title = '' WHERE id = ?", (session_id,)
        )
        self._search.remove_title(session_id)

    async def remove_turns(
        self, session_id: str, before: tuple[float, str] | None, limit: int
    ) -> tuple[int, tuple[float, str] | None]:
        self._footprint.require_lock(session_id)
        rows = self._connection.execute(
            """SELECT id, opened_at FROM turns WHERE session_id = ? AND (opened_at, id) < (?, ?)
               ORDER BY opened_at DESC, id DESC LIMIT ?""",
            (session_id, *(before or (float("inf"), "")), limit),
        ).fetchall()
        gone = self._removable_turns(session_id, [row["id"] for row in rows])
        self._remove_all(session_id, gone)
        last = (rows[-1]["opened_at"], rows[-1]["id"]) if len(rows) == limit else None
        return len(gone), last

    async def finish(self, session_id: str) -> bool:
        self._footprint.require_lock(session_id)
        # The run of a job stays in the job's history, without the session that is gone.
        self._connection.execute(
            "UPDATE cron_runs SET session_id = '', turn_id = '' WHERE session_id = ?", (session_id,)
        )
        is_left = "EXISTS (SELECT 1 FROM turns WHERE session_id = ?1)"
        self._connection.execute(f"UPDATE sessions SET is_purged = 1 WHERE id = ?1 AND {is_left}", (session_id,))
        cursor = self._connection.execute(f"DELETE FROM sessions WHERE id = ?1 AND NOT {is_left}", (session_id,))
        self._footprint.sessions.add(session_id)
        return cursor.rowcount == 1

    async def give_space_back(self, pages: int) -> bool:
        return give_back(self._connection, pages)

    def _removable_turns(self, session_id: str, turns: Sequence[str]) -> list[str]:
        marks = ", ".join("?" * len(turns))
        children: dict[str, list[str]] = defaultdict(list)
        for parent, child in self._connection.execute(f"SELECT parent, id FROM turns WHERE parent IN ({marks})", turns):
            children[parent].append(child)
        held = self._connection.execute(
            f"""SELECT head FROM sessions WHERE head IN ({marks}) AND id <> ?
                UNION SELECT checkpoint FROM sessions WHERE checkpoint IN ({marks}) AND id <> ?""",
            (*turns, session_id, *turns, session_id),
        )
        return removable_turns(turns, children, {row[0] for row in held})

    def _remove_all(self, session_id: str, turns: Sequence[str]) -> None:
        marks = ", ".join("?" * len(turns))
        self._look_again(session_id, f"SELECT parent FROM turns WHERE id IN ({marks})", *turns)
        entries = self._connection.execute(
            f"""SELECT turn_id, step, idx, kind, payload, at FROM journal
                WHERE turn_id IN ({marks}) AND kind <> 'result'""",
            turns,
        ).fetchall()
        for entry in map(entry_from, entries):
            self._search.remove_entry(entry)
        self._connection.execute(f"DELETE FROM idempotency_keys WHERE turn_id IN ({marks})", turns)
        self._connection.execute(f"DELETE FROM journal WHERE turn_id IN ({marks})", turns)
        # Newest first: a turn cannot be removed before those that grow from it.
        self._connection.executemany("DELETE FROM turns WHERE id = ?", [(turn,) for turn in turns])

    def _look_again(self, session_id: str, turns: str, *values: str) -> None:
        """Let other deleted sessions be purged again: they may have kept turns only for the sake of this one."""
        self._connection.execute(
            f"""UPDATE sessions SET is_purged = 0 WHERE is_purged AND id <> ?1
                AND id IN (SELECT session_id FROM turns WHERE id IN ({turns}))""",
            (session_id, *values),
        )

    def _remove(self, table: str, key: str, session_id: str, limit: int) -> int:
        cursor = self._connection.execute(
            f"""DELETE FROM {table} WHERE session_id = ?1 AND {key} IN (
                    SELECT {key} FROM {table} WHERE session_id = ?1 LIMIT ?2)""",
            (session_id, limit),
        )
        return cursor.rowcount
