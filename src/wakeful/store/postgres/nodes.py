"""Nodes and their leases in PostgreSQL."""

from wakeful.store.postgres.connection import Connection


class PostgresNodes:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def renew(self, node: str, lease_until: float, *, host: str) -> None:
        await self._connection.execute(
            """INSERT INTO nodes (id, lease_until) VALUES ($1, $2)
               ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until""",
            node,
            lease_until,
        )
        await self._connection.execute(
            """INSERT INTO hosts (id, seen_at) VALUES ($1, wakeful_now())
               ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at""",
            host,
        )

    async def retire(self, node: str) -> None:
        await self._connection.execute("DELETE FROM nodes WHERE id = $1", node)

    async def drop_old(self, before: float, limit: int) -> int:
        dropped: int = await self._connection.fetchval(
            """WITH dropped AS (
                   DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE lease_until < $1 LIMIT $2) RETURNING 1
               )
               SELECT count(*) FROM dropped""",
            before,
            limit,
        )
        return dropped
