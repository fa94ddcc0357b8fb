"""The queue of outgoing webhooks in PostgreSQL."""

from wakeful.model.delivery import LONGEST_WAIT_SECONDS, Delivery
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.rows.api import delivery_from


class PostgresDeliveries:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def add_if_absent(self, delivery: Delivery, due_at: float) -> bool:
        added = await self._connection.fetchval(
            """INSERT INTO webhook_deliveries (id, event_id, endpoint, body, tries, due_at)
               VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING TRUE""",
            delivery.id,
            delivery.event_id,
            delivery.endpoint,
            delivery.body,
            delivery.tries,
            due_at,
        )
        return added is not None

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        # Concurrent nodes get different deliveries, and none of them waits.
        rows = await self._connection.fetch(
            """WITH free AS (
                   SELECT id, due_at FROM webhook_deliveries WHERE NOT is_given_up AND (due_at <= $1 OR due_at > $4)
                   ORDER BY due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
               ), held AS (
                   UPDATE webhook_deliveries d SET due_at = $2 FROM free WHERE d.id = free.id
                   RETURNING d.*, free.due_at AS was_due_at
               )
               SELECT * FROM held ORDER BY was_due_at, id""",
            now,
            hold_until,
            limit,
            now + LONGEST_WAIT_SECONDS,
        )
        return [delivery_from(row) for row in rows]

    async def next_due(self) -> float | None:
        due_at: float | None = await self._connection.fetchval(
            "SELECT min(due_at) FROM webhook_deliveries WHERE NOT is_given_up"
        )
        return due_at

    async def done(self, delivery_id: str) -> None:
        await self._connection.execute("DELETE FROM webhook_deliveries WHERE id = $1", delivery_id)

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        await self._connection.execute(
            "UPDATE webhook_deliveries SET tries = tries + 1, due_at = $2, error = $3 WHERE id = $1",
            delivery_id,
            at,
            error,
        )

    async def give_up(self, delivery_id: str, error: str) -> None:
        await self._connection.execute(
            "UPDATE webhook_deliveries SET is_given_up = TRUE, error = $2 WHERE id = $1", delivery_id, error
        )

    async def drop_given_up(self, before: float, limit: int) -> int:
        dropped: int = await self._connection.fetchval(
            """WITH dropped AS (
                   DELETE FROM webhook_deliveries WHERE id IN (
                       SELECT id FROM webhook_deliveries WHERE is_given_up AND due_at < $1 LIMIT $2
                   ) RETURNING 1
               )
               SELECT count(*) FROM dropped""",
            before,
            limit,
        )
        return dropped
