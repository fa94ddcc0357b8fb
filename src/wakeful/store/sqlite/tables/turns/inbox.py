"""Inbox rows in SQLite."""

import sqlite3
from collections.abc import Sequence

from wakeful.model.inbox import InboxRow
from wakeful.store.footprint import Footprint
from wakeful.store.rows.row import decode_rows
from wakeful.store.rows.turns import INBOX_ROW_COLUMNS, inbox_row_from, inbox_row_values
from wakeful.store.sqlite.statement import insertion

_POST = f"{insertion('inbox', INBOX_ROW_COLUMNS)} ON CONFLICT (session_id, dedupe_key) DO NOTHING"


class SqliteInbox:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def post_if_new(self, row: InboxRow) -> bool:
        self._footprint.require_lock(row.session_id)
        if self._connection.execute(_POST, inbox_row_values(row)).rowcount == 0:
            return False
        self._footprint.sessions.add(row.session_id)
        return True

    async def find(self, session_id: str, dedupe_key: str) -> InboxRow | None:
        row = self._connection.execute(
            "SELECT * FROM inbox WHERE session_id = ? AND dedupe_key = ?", (session_id, dedupe_key)
        ).fetchone()
        return None if row is None else inbox_row_from(row)

    async def find_by_turn(self, turn_id: str) -> InboxRow | None:
        row = self._connection.execute("SELECT * FROM inbox WHERE turn_id = ?", (turn_id,)).fetchone()
        return None if row is None else inbox_row_from(row)

    async def pending(self, session_id: str) -> list[InboxRow]:
        rows = self._connection.execute(
            "SELECT * FROM inbox WHERE session_id = ? AND status = 'pending' ORDER BY id", (session_id,)
        )
        return decode_rows(inbox_row_from, rows)

    async def claim(self, row_ids: Sequence[int], turn_id: str) -> None:
        for row_id in row_ids:
            row = self._connection.execute(
                """UPDATE inbox SET status = 'claimed', claimed_by = ? WHERE id = ? AND status = 'pending'
                   RETURNING session_id""",
                (turn_id, row_id),
            ).fetchone()
            if row is not None:
                self._footprint.require_lock(row["session_id"])

    async def withdraw_if_pending(self, session_id: str, dedupe_key: str) -> bool:
        self._footprint.require_lock(session_id)
        cursor = self._connection.execute(
            """UPDATE inbox SET status = 'withdrawn'
               WHERE session_id = ? AND dedupe_key = ? AND status = 'pending'""",
            (session_id, dedupe_key),
        )
        return cursor.rowcount == 1

    async def empty_taken(self, limit: int) -> int:
        upkeep = self._connection.execute("SELECT position FROM upkeep WHERE name = 'inbox_payloads'").fetchone()
        if upkeep is None:
            return 0
        rows = self._connection.execute(
            "SELECT id FROM inbox WHERE id > ? ORDER BY id LIMIT ?", (int(upkeep["position"]), limit)
        ).fetchall()
        if not rows:
            self._connection.execute("DELETE FROM upkeep WHERE name = 'inbox_payloads'")
            return 0
        self._connection.execute(
            "UPDATE inbox SET payload = x'7B7D' WHERE id BETWEEN ? AND ? AND status <> 'pending'",
            (rows[0]["id"], rows[-1]["id"]),
        )
        self._connection.execute("UPDATE upkeep SET position = ? WHERE name = 'inbox_payloads'", (rows[-1]["id"],))
        return len(rows)
