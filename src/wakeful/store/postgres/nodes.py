"""Nodes and their leases in PostgreSQL."""

from wakeful.store.postgres.connection import Connection


class PostgresNodes:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def renew(self, node: str, lease_until: float) -> None:
        await self._connection.execute(
            """INSERT INTO nodes (id, lease_until) VALUES ($1, $2)
               ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until""",
            node,
            lease_until,
        )

    async def retire(self, node: str) -> None:
        await self._connection.execute("DELETE FROM nodes WHERE id = $1", node)
