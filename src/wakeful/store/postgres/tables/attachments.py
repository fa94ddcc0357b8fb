"""Attachments in PostgreSQL."""

from collections.abc import Sequence

from wakeful.model.files.attachment import Attachment
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.attachments import ATTACHMENT_COLUMNS, attachment_from, attachment_values


class PostgresAttachments:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def put_if_new(self, attachment: Attachment, *, is_used: bool) -> bool:
        rows = await self._connection.fetch(
            f"{insertion('attachments', ATTACHMENT_COLUMNS)} ON CONFLICT (id) DO NOTHING RETURNING id",
            *attachment_values(attachment, is_used=is_used),
        )
        return bool(rows)

    async def add_piece(self, attachment_id: str, number: int, data: bytes) -> None:
        await self._connection.execute(
            "INSERT INTO attachment_pieces (attachment_id, number, data) VALUES ($1, $2, $3)",
            attachment_id,
            number,
            data,
        )

    async def piece(self, attachment_id: str, number: int) -> bytes | None:
        rows = await self._connection.fetch(
            "SELECT data FROM attachment_pieces WHERE attachment_id = $1 AND number = $2", attachment_id, number
        )
        return bytes(rows[0]["data"]) if rows else None

    async def find(self, ids: Sequence[str]) -> list[Attachment]:
        rows = await self._connection.fetch("SELECT * FROM attachments WHERE id = ANY($1::TEXT[])", list(ids))
        found = {row["id"]: attachment_from(row) for row in rows}
        return [found[known] for known in ids if known in found]

    async def use(self, ids: Sequence[str], session_id: str) -> None:
        await self._connection.execute(
            """UPDATE attachments SET is_used = TRUE, session_id = CASE WHEN is_used THEN session_id ELSE $1 END
               WHERE id = ANY($2::TEXT[])""",
            session_id,
            list(ids),
        )

    async def of_session(self, session_id: str) -> list[str]:
        rows = await self._connection.fetch("SELECT id FROM attachments WHERE session_id = $1", session_id)
        return [row["id"] for row in rows]

    async def drop_unused(self, before: float, limit: int) -> list[str]:
        rows = await self._connection.fetch(
            """DELETE FROM attachments WHERE id IN (
                   SELECT id FROM attachments WHERE NOT is_used AND created_at < $1 LIMIT $2)
               RETURNING id""",
            before,
            limit,
        )
        return [row["id"] for row in rows]
