"""Attachments in SQLite."""

import sqlite3
from collections.abc import Sequence

from wakeful.model.files.attachment import Attachment
from wakeful.store.rows.attachments import ATTACHMENT_COLUMNS, attachment_from, attachment_values
from wakeful.store.sqlite.statement import insertion


class SqliteAttachments:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def put_if_new(self, attachment: Attachment, *, is_used: bool) -> bool:
        cursor = self._connection.execute(
            f"{insertion('attachments', ATTACHMENT_COLUMNS)} ON CONFLICT (id) DO NOTHING",
            attachment_values(attachment, is_used=is_used),
        )
        return cursor.rowcount == 1

    async def add_piece(self, attachment_id: str, number: int, data: bytes) -> None:
        self._connection.execute(
            "INSERT INTO attachment_pieces (attachment_id, number, data) VALUES (?, ?, ?)",
            (attachment_id, number, data),
        )

    async def piece(self, attachment_id: str, number: int) -> bytes | None:
        row = self._connection.execute(
            "SELECT data FROM attachment_pieces WHERE attachment_id = ? AND number = ?", (attachment_id, number)
        ).fetchone()
        return None if row is None else bytes(row["data"])

    async def find(self, ids: Sequence[str]) -> list[Attachment]:
        marks = ", ".join("?" * len(ids))
        rows = self._connection.execute(f"SELECT * FROM attachments WHERE id IN ({marks})", tuple(ids))
        found = {row["id"]: attachment_from(row) for row in rows}
        return [found[known] for known in ids if known in found]

    async def use(self, ids: Sequence[str], session_id: str) -> None:
        marks = ", ".join("?" * len(ids))
        self._connection.execute(
            f"""UPDATE attachments SET is_used = 1, session_id = CASE WHEN is_used THEN session_id ELSE ? END
                WHERE id IN ({marks})""",
            (session_id, *ids),
        )

    async def of_session(self, session_id: str) -> list[str]:
        rows = self._connection.execute("SELECT id FROM attachments WHERE session_id = ?", (session_id,))
        return [row["id"] for row in rows]

    async def drop_unused(self, before: float, limit: int) -> list[str]:
        rows = self._connection.execute(
            """DELETE FROM attachments WHERE id IN (
                   SELECT id FROM attachments WHERE NOT is_used AND created_at < ? LIMIT ?)
               RETURNING id""",
            (before, limit),
        )
        return [row["id"] for row in rows.fetchall()]
