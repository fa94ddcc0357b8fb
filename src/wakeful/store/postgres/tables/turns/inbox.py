"""Inbox rows in PostgreSQL."""

from collections.abc import Sequence

from wakeful.model.inbox import InboxRow
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.row import decode_rows
from wakeful.store.rows.turns import INBOX_ROW_COLUMNS, inbox_row_from, inbox_row_values

_POST = f"{insertion('inbox', INBOX_ROW_COLUMNS)} ON CONFLICT (session_id, dedupe_key) DO NOTHING RETURNING TRUE"


class PostgresInbox:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def post_if_new(self, row: InboxRow) -> bool:
        self._footprint.require_lock(row.session_id)
        if await self._connection.fetchval(_POST, *inbox_row_values(row)) is None:
            return False
        self._footprint.sessions.add(row.session_id)
        return True

    async def find(self, session_id: str, dedupe_key: str) -> InboxRow | None:
        row = await self._connection.fetchrow(
            "SELECT * FROM inbox WHERE session_id = $1 AND dedupe_key = $2", session_id, dedupe_key
        )
        return None if row is None else inbox_row_from(row)

    async def find_by_turn(self, turn_id: str) -> InboxRow | None:
        row = await self._connection.fetchrow("SELECT * FROM inbox WHERE turn_id = $1", turn_id)
        return None if row is None else inbox_row_from(row)

    async def pending(self, session_id: str) -> list[InboxRow]:
        rows = await self._connection.fetch(
            "SELECT * FROM inbox WHERE session_id = $1 AND status = 'pending' ORDER BY id", session_id
        )
        return decode_rows(inbox_row_from, rows)

    async def claim(self, row_ids: Sequence[int], turn_id: str) -> None:
        rows = await self._connection.fetch(
            """UPDATE inbox SET status = 'claimed', claimed_by = $2
               WHERE id = ANY($1::bigint[]) AND status = 'pending' RETURNING session_id""",
            list(row_ids),
            turn_id,
        )
        for row in rows:
            self._footprint.require_lock(row["session_id"])

    async def withdraw_if_pending(self, session_id: str, dedupe_key: str) -> bool:
        self._footprint.require_lock(session_id)
        withdrawn = await self._connection.fetchval(
            """UPDATE inbox SET status = 'withdrawn'
               WHERE session_id = $1 AND dedupe_key = $2 AND status = 'pending' RETURNING TRUE""",
            session_id,
            dedupe_key,
        )
        return withdrawn is not None

    async def empty_taken(self, limit: int) -> int:
        position = await self._connection.fetchval(
            "SELECT position FROM upkeep WHERE name = 'inbox_payloads' FOR UPDATE SKIP LOCKED"
        )
        if position is None:
            return 0
        rows = await self._connection.fetch(
            "SELECT id FROM inbox WHERE id > $1 ORDER BY id LIMIT $2", int(position), limit
        )
        if not rows:
            await self._connection.execute("DELETE FROM upkeep WHERE name = 'inbox_payloads'")
            return 0
        last = rows[-1]["id"]
        await self._connection.execute(
            "UPDATE inbox SET payload = '{}' WHERE id BETWEEN $1 AND $2 AND status <> 'pending'", rows[0]["id"], last
        )
        await self._connection.execute("UPDATE upkeep SET position = $1 WHERE name = 'inbox_payloads'", str(last))
        return len(rows)
