"""Nodes and their leases in SQLite."""

import sqlite3


class SqliteNodes:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def renew(self, node: str, lease_until: float) -> None:
        self._connection.execute(
            """INSERT INTO nodes (id, lease_until) VALUES (?, ?)
               ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until""",
            (node, lease_until),
        )

    async def retire(self, node: str) -> None:
        self._connection.execute("DELETE FROM nodes WHERE id = ?", (node,))
