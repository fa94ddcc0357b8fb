"""Nodes and their leases in SQLite."""

import sqlite3
from collections.abc import Callable


class SqliteNodes:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._clock = clock

    async def renew(self, node: str, lease_until: float, *, host: str) -> None:
        self._connection.execute(
            """INSERT INTO nodes (id, lease_until) VALUES (?, ?)
               ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until""",
            (node, lease_until),
        )
        self._connection.execute(
            "INSERT INTO hosts (id, seen_at) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
            (host, self._clock()),
        )

    async def retire(self, node: str) -> None:
        self._connection.execute("DELETE FROM nodes WHERE id = ?", (node,))

    async def cut_off_dead(self) -> int:
        """Do nothing: a process that is gone holds no lock."""
        return 0

    async def drop_old(self, before: float, limit: int) -> int:
        cursor = self._connection.execute(
            "DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE lease_until < ? LIMIT ?)", (before, limit)
        )
        return cursor.rowcount
