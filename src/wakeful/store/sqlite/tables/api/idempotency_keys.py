"""Idempotency keys in SQLite."""

import sqlite3

from wakeful.model.api.conversation import IdempotencyKey
from wakeful.store.rows.api import IDEMPOTENCY_KEY_COLUMNS, idempotency_key_from, idempotency_key_values
from wakeful.store.sqlite.statement import insertion


class SqliteIdempotencyKeys:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def reserve(self, key: IdempotencyKey) -> IdempotencyKey:
        self._connection.execute(
            f"{insertion('idempotency_keys', IDEMPOTENCY_KEY_COLUMNS)} ON CONFLICT DO NOTHING",
            idempotency_key_values(key),
        )
        found = await self.find(key.owner, key.key)
        assert found is not None
        return found

    async def find(self, owner: str, key: str) -> IdempotencyKey | None:
        row = self._connection.execute(
            "SELECT * FROM idempotency_keys WHERE owner = ? AND key = ?", (owner, key)
        ).fetchone()
        return None if row is None else idempotency_key_from(row)

    async def drop_old(self, before: float, limit: int) -> int:
        # A turn never ends before its key is written, so the index by time can skip newer keys.
        cursor = self._connection.execute(
            """DELETE FROM idempotency_keys WHERE (owner, key) IN (
                   SELECT k.owner, k.key FROM idempotency_keys k JOIN turns t ON t.id = k.turn_id
                   WHERE k.created_at < ?1 AND t.closed_at < ?1 ORDER BY k.created_at LIMIT ?2
               )""",
            (before, limit),
        )
        return cursor.rowcount
