"""Idempotency keys in PostgreSQL."""

from wakeful.model.api.conversation import IdempotencyKey
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.api import IDEMPOTENCY_KEY_COLUMNS, idempotency_key_from, idempotency_key_values


class PostgresIdempotencyKeys:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def reserve(self, key: IdempotencyKey) -> IdempotencyKey:
        # A concurrent request with the same key waits here until the first has committed, and then finds its key.
        await self._connection.execute(
            f"{insertion('idempotency_keys', IDEMPOTENCY_KEY_COLUMNS)} ON CONFLICT DO NOTHING",
            *idempotency_key_values(key),
        )
        found = await self.find(key.owner, key.key)
        assert found is not None
        return found

    async def find(self, owner: str, key: str) -> IdempotencyKey | None:
        row = await self._connection.fetchrow(
            "SELECT * FROM idempotency_keys WHERE owner = $1 AND key = $2", owner, key
        )
        return None if row is None else idempotency_key_from(row)

    async def drop_old(self, before: float, limit: int) -> int:
        # A turn never ends before its key is written, so the index by time can skip newer keys.
        dropped: int = await self._connection.fetchval(
            """WITH old AS (
                   SELECT k.owner, k.key FROM idempotency_keys k JOIN turns t ON t.id = k.turn_id
                   WHERE k.created_at < $1 AND t.closed_at < $1 ORDER BY k.created_at LIMIT $2
                   FOR UPDATE OF k SKIP LOCKED
               ), dropped AS (
                   DELETE FROM idempotency_keys k USING old WHERE k.owner = old.owner AND k.key = old.key RETURNING 1
               )
               SELECT count(*) FROM dropped""",
            before,
            limit,
        )
        return dropped
