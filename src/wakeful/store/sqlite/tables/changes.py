"""Changed files in SQLite."""

import sqlite3
from collections.abc import Sequence

from wakeful.model.journal.change import ChangeState, KeptChange
from wakeful.store.footprint import Footprint
from wakeful.store.rows.changes import CHANGE_COLUMNS, change_from, change_values
from wakeful.store.rows.row import decode_rows

_MARKS = ", ".join("?" * len(CHANGE_COLUMNS))
_BEGIN = f"INSERT OR REPLACE INTO changes ({', '.join(CHANGE_COLUMNS)}) VALUES ({_MARKS})"


class SqliteChanges:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def begin(self, change: KeptChange) -> None:
        self._footprint.require_lock(change.session_id)
        self._connection.execute(_BEGIN, change_values(change))

    async def get(self, turn_id: str, step: int, index: int) -> KeptChange | None:
        row = self._connection.execute(
            "SELECT * FROM changes WHERE turn_id = ? AND step = ? AND idx = ?", (turn_id, step, index)
        ).fetchone()
        return None if row is None else change_from(row)

    async def of_turn(self, turn_id: str) -> list[KeptChange]:
        rows = self._connection.execute(
            "SELECT * FROM changes WHERE turn_id = ?1 OR root_turn_id = ?1 ORDER BY written_at DESC", (turn_id,)
        )
        return decode_rows(change_from, rows)

    async def last_turn(self, session_id: str, states: Sequence[ChangeState], call_id: str = "") -> str | None:
        marks = ", ".join("?" * len(states))
        row = self._connection.execute(
            f"""SELECT CASE session_id WHEN ? THEN turn_id ELSE root_turn_id END AS turn_id FROM changes
                WHERE (session_id = ? OR root_session_id = ?) AND state IN ({marks}) AND ? IN ('', call_id)
                ORDER BY written_at DESC LIMIT 1""",
            (session_id, session_id, session_id, *states, call_id),
        ).fetchone()
        return None if row is None else row["turn_id"]

    async def settle(self, change: KeptChange, state: ChangeState) -> bool:
        self._footprint.require_lock(change.session_id)
        cursor = self._connection.execute(
            "UPDATE changes SET state = ? WHERE turn_id = ? AND step = ? AND idx = ? AND state <> 'undone'",
            (state, change.turn_id, change.step, change.index),
        )
        return cursor.rowcount == 1

    async def old(self, host: str, before: float, limit: int) -> list[KeptChange]:
        rows = self._connection.execute(
            """SELECT c.* FROM changes c LEFT JOIN turns t ON t.id = c.turn_id
               WHERE c.host = ?1 AND c.written_at < ?2 AND (t.id IS NULL OR t.closed_at < ?2)
               ORDER BY c.written_at LIMIT ?3""",
            (host, before, limit),
        )
        return decode_rows(change_from, rows)

    async def remove(self, changes: Sequence[KeptChange]) -> None:
        self._connection.executemany(
            "DELETE FROM changes WHERE turn_id = ? AND step = ? AND idx = ?",
            [(change.turn_id, change.step, change.index) for change in changes],
        )
