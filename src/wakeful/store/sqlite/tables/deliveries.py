"""The queue of outgoing webhooks in SQLite."""

import sqlite3

from wakeful.model.delivery import LONGEST_WAIT_SECONDS, Delivery
from wakeful.store.rows.api import delivery_from


class SqliteDeliveries:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def add_if_absent(self, delivery: Delivery, due_at: float) -> bool:
        cursor = self._connection.execute(
            """INSERT INTO webhook_deliveries (id, event_id, endpoint, body, tries, due_at)
               VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""",
            (delivery.id, delivery.event_id, delivery.endpoint, delivery.body, delivery.tries, due_at),
        )
        return cursor.rowcount == 1

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        rows = self._connection.execute(
            """SELECT * FROM webhook_deliveries WHERE NOT is_given_up AND (due_at <= ? OR due_at > ?)
               ORDER BY due_at, id LIMIT ?""",
            (now, now + LONGEST_WAIT_SECONDS, limit),
        ).fetchall()
        self._connection.executemany(
            "UPDATE webhook_deliveries SET due_at = ? WHERE id = ?", [(hold_until, row["id"]) for row in rows]
        )
        return [delivery_from(row) for row in rows]

    async def next_due(self) -> float | None:
        row = self._connection.execute(
            "SELECT min(due_at) AS due_at FROM webhook_deliveries WHERE NOT is_given_up"
        ).fetchone()
        due_at: float | None = row["due_at"]
        return due_at

    async def done(self, delivery_id: str) -> None:
        self._connection.execute("DELETE FROM webhook_deliveries WHERE id = ?", (delivery_id,))

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        self._connection.execute(
            "UPDATE webhook_deliveries SET tries = tries + 1, due_at = ?, error = ? WHERE id = ?",
            (at, error, delivery_id),
        )

    async def give_up(self, delivery_id: str, error: str) -> None:
        self._connection.execute(
            "UPDATE webhook_deliveries SET is_given_up = TRUE, error = ? WHERE id = ?", (error, delivery_id)
        )

    async def drop_given_up(self, before: float, limit: int) -> int:
        cursor = self._connection.execute(
            """DELETE FROM webhook_deliveries WHERE id IN (
                   SELECT id FROM webhook_deliveries WHERE is_given_up AND due_at < ? LIMIT ?
               )""",
            (before, limit),
        )
        return cursor.rowcount
