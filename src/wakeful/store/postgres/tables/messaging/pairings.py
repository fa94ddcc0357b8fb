"""Who may talk on messaging platforms, and who has asked to, in PostgreSQL."""

from wakeful.model.messaging.pairing import Pairing
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.messaging import PAIRING, pairing_from, pairing_values

_PUT = f"""{insertion("pairings", PAIRING)} ON CONFLICT (platform, user_id) DO UPDATE SET
    name = excluded.name, code = excluded.code, asked_at = excluded.asked_at, paired_at = excluded.paired_at"""


class PostgresPairings:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def get(self, platform: str, user_id: str) -> Pairing | None:
        return await self._find("platform = $1 AND user_id = $2", platform, user_id)

    async def put(self, pairing: Pairing) -> None:
        await self._connection.execute(_PUT, *pairing_values(pairing))

    async def by_code(self, code: str) -> Pairing | None:
        return await self._find("code = $1 AND code <> '' ORDER BY asked_at DESC LIMIT 1", code)

    async def all(self) -> list[Pairing]:
        rows = await self._connection.fetch("SELECT * FROM pairings ORDER BY platform, asked_at, user_id")
        return [pairing_from(row) for row in rows]

    async def delete(self, platform: str, user_id: str) -> bool:
        deleted = await self._connection.fetchval(
            "DELETE FROM pairings WHERE platform = $1 AND user_id = $2 RETURNING TRUE", platform, user_id
        )
        return deleted is not None

    async def _find(self, condition: str, *values: str) -> Pairing | None:
        row = await self._connection.fetchrow(f"SELECT * FROM pairings WHERE {condition}", *values)
        return None if row is None else pairing_from(row)
