"""Nodes and their leases in PostgreSQL."""

from wakeful.store.postgres.connection import PostgresConnection

_RENEW = """
    INSERT INTO nodes (id, lease_until, connections) VALUES ($1, $2, current_setting('application_name'))
    ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, connections = excluded.connections
"""
# A suspended node of the same host may hold this row's lock: then the row is skipped, and the renewal does not wait.
_SEE_HOST = """
    WITH free AS (SELECT id FROM hosts WHERE id = $1 FOR UPDATE SKIP LOCKED),
         seen AS (UPDATE hosts h SET seen_at = wakeful_now() FROM free WHERE h.id = free.id)
    INSERT INTO hosts (id, seen_at) SELECT $1, wakeful_now() WHERE NOT EXISTS (SELECT 1 FROM hosts WHERE id = $1)
    ON CONFLICT (id) DO NOTHING
"""
# Idle connections hold no locks. The state of other users' connections is hidden (NULL), so those are tried as well.
_CUT_OFF_DEAD = """
    SELECT count(pg_terminate_backend(a.pid)) FROM nodes n JOIN pg_stat_activity a ON a.application_name = n.connections
    WHERE n.lease_until <= wakeful_now() AND n.connections NOT IN ('', current_setting('application_name'))
      AND a.datname = current_database() AND coalesce(a.state, '') <> 'idle'
"""


class PostgresNodes:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def renew(self, node: str, lease_until: float, *, host: str) -> None:
        await self._connection.execute(_RENEW, node, lease_until)
        await self._connection.execute(_SEE_HOST, host)

    async def retire(self, node: str) -> None:
        await self._connection.execute("DELETE FROM nodes WHERE id = $1", node)

    async def cut_off_dead(self) -> int:
        ended: int = await self._connection.fetchval(_CUT_OFF_DEAD)
        return ended

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
