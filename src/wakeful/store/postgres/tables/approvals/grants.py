"""Grants in PostgreSQL."""

from collections.abc import Sequence

from wakeful.model.approvals.grant import Grant
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.approvals import GRANT_COLUMNS, grant_from, grant_values


class PostgresGrants:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def give(self, grant: Grant) -> None:
        if grant.session_id:
            self._footprint.require_lock(grant.session_id)
        await self._connection.execute(
            "DELETE FROM grants WHERE owner = $1 AND expires_at <= $2", grant.owner, grant.created_at
        )
        await self._connection.execute(
            f"""{insertion("grants", GRANT_COLUMNS)}
                ON CONFLICT (owner, kind, session_id, folder, chat_key) DO UPDATE SET
                created_at = excluded.created_at, expires_at = excluded.expires_at, example = excluded.example""",
            *grant_values(grant),
        )

    async def covering(
        self, session_ids: Sequence[str], owner: str, folders: Sequence[str], chat_key: str, now: float
    ) -> list[Grant]:
        rows = await self._connection.fetch(
            """SELECT * FROM grants
               WHERE (session_id <> '' AND session_id = ANY($1::TEXT[])
                      OR session_id = '' AND owner = $2 AND folder = ANY($3::TEXT[])
                         AND chat_key IN ('', $5))
                 AND (expires_at IS NULL OR expires_at > $4)
               ORDER BY session_id = '', created_at, id""",
            list(session_ids),
            owner,
            list(folders),
            now,
            chat_key,
        )
        return [grant_from(row) for row in rows]

    async def count_use(self, grant_ids: Sequence[str], now: float) -> None:
        # Updated in one order, so that concurrent calls cannot deadlock.
        for grant_id in sorted(grant_ids):
            await self._connection.execute(
                "UPDATE grants SET uses = uses + 1, last_used_at = $2 WHERE id = $1", grant_id, now
            )

    async def of_owner(self, owner: str | None, now: float) -> list[Grant]:
        rows = await self._connection.fetch(
            """SELECT g.* FROM grants g LEFT JOIN sessions s ON s.id = g.session_id
               WHERE ($1::TEXT IS NULL OR g.owner = $1) AND (g.expires_at IS NULL OR g.expires_at > $2)
                 AND s.purge_at IS NULL
               ORDER BY g.created_at, g.id""",
            owner,
            now,
        )
        return [grant_from(row) for row in rows]

    async def revoke_if_there(self, grant_id: str, owner: str | None) -> bool:
        tag = await self._connection.execute(
            "DELETE FROM grants WHERE id = $1 AND ($2::TEXT IS NULL OR owner = $2)", grant_id, owner
        )
        return tag != "DELETE 0"
