"""Who may talk on messaging platforms, and who has asked to, in SQLite."""

import sqlite3

from wakeful.model.messaging.pairing import Pairing
from wakeful.store.rows.messaging import PAIRING, pairing_from, pairing_values
from wakeful.store.sqlite.statement import insertion

_PUT = f"""{insertion("pairings", PAIRING)} ON CONFLICT (platform, user_id) DO UPDATE SET
    name = excluded.name, code = excluded.code, asked_at = excluded.asked_at, paired_at = excluded.paired_at"""


class SqlitePairings:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def get(self, platform: str, user_id: str) -> Pairing | None:
        return self._find("platform = ? AND user_id = ?", platform, user_id)

    async def put(self, pairing: Pairing) -> None:
        self._connection.execute(_PUT, pairing_values(pairing))

    async def by_code(self, code: str) -> Pairing | None:
        return self._find("code = ? AND code <> '' ORDER BY asked_at DESC LIMIT 1", code)

    async def all(self) -> list[Pairing]:
        rows = self._connection.execute("SELECT * FROM pairings ORDER BY platform, asked_at, user_id")
        return [pairing_from(row) for row in rows]

    async def delete(self, platform: str, user_id: str) -> bool:
        cursor = self._connection.execute(
            "DELETE FROM pairings WHERE platform = ? AND user_id = ?", (platform, user_id)
        )
        return cursor.rowcount == 1

    def _find(self, condition: str, *values: str) -> Pairing | None:
        row = self._connection.execute(f"SELECT * FROM pairings WHERE {condition}", values).fetchone()
        return None if row is None else pairing_from(row)
