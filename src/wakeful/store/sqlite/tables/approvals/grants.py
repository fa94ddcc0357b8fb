"""Grants in SQLite."""

import sqlite3
from collections.abc import Sequence

from wakeful.model.approvals.grant import Grant
from wakeful.store.footprint import Footprint
from wakeful.store.rows.approvals import GRANT_COLUMNS, grant_from, grant_values
from wakeful.store.sqlite.statement import insertion


class SqliteGrants:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def give(self, grant: Grant) -> None:
        if grant.session_id:
            self._footprint.require_lock(grant.session_id)
        self._connection.execute(
            "DELETE FROM grants WHERE owner = ? AND expires_at <= ?", (grant.owner, grant.created_at)
        )
        self._connection.execute(
            f"""{insertion("grants", GRANT_COLUMNS)}
                ON CONFLICT (owner, kind, session_id, folder, chat_key) DO UPDATE SET
                created_at = excluded.created_at, expires_at = excluded.expires_at, example = excluded.example""",
            grant_values(grant),
        )

    async def covering(
        self, session_ids: Sequence[str], owner: str, folders: Sequence[str], chat_key: str, now: float
    ) -> list[Grant]:
        rows = self._connection.execute(
            f"""SELECT * FROM grants
                WHERE (session_id <> '' AND session_id IN ({_marks(session_ids)})
                       OR session_id = '' AND owner = ? AND folder IN ({_marks(folders)}) AND chat_key IN ('', ?))
                  AND (expires_at IS NULL OR expires_at > ?)
                ORDER BY session_id = '', created_at, id""",
            (*session_ids, owner, *folders, chat_key, now),
        )
        return [grant_from(row) for row in rows]

    async def count_use(self, grant_ids: Sequence[str], now: float) -> None:
        for grant_id in sorted(grant_ids):
            self._connection.execute(
                "UPDATE grants SET uses = uses + 1, last_used_at = ? WHERE id = ?", (now, grant_id)
            )

    async def of_owner(self, owner: str | None, now: float) -> list[Grant]:
        rows = self._connection.execute(
            """SELECT g.* FROM grants g LEFT JOIN sessions s ON s.id = g.session_id
               WHERE (?1 IS NULL OR g.owner = ?1) AND (g.expires_at IS NULL OR g.expires_at > ?2)
                 AND s.purge_at IS NULL
               ORDER BY g.created_at, g.id""",
            (owner, now),
        )
        return [grant_from(row) for row in rows]

    async def revoke_if_there(self, grant_id: str, owner: str | None) -> bool:
        cursor = self._connection.execute(
            "DELETE FROM grants WHERE id = ?1 AND (?2 IS NULL OR owner = ?2)", (grant_id, owner)
        )
        return cursor.rowcount == 1


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
