"""Changed files in PostgreSQL."""

from collections.abc import Sequence

from wakeful.model.journal.change import ChangeState, KeptChange
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.changes import CHANGE_COLUMNS, change_from, change_values
from wakeful.store.rows.row import decode_rows

_ANEW = ", ".join(f"{column} = excluded.{column}" for column in CHANGE_COLUMNS)
_BEGIN = f"{insertion('changes', CHANGE_COLUMNS)} ON CONFLICT (turn_id, step, idx) DO UPDATE SET {_ANEW}"


class PostgresChanges:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def begin(self, change: KeptChange) -> None:
        self._footprint.require_lock(change.session_id)
        await self._connection.execute(_BEGIN, *change_values(change))

    async def get(self, turn_id: str, step: int, index: int) -> KeptChange | None:
        row = await self._connection.fetchrow(
            "SELECT * FROM changes WHERE turn_id = $1 AND step = $2 AND idx = $3", turn_id, step, index
        )
        return None if row is None else change_from(row)

    async def of_turn(self, turn_id: str) -> list[KeptChange]:
        rows = await self._connection.fetch(
            "SELECT * FROM changes WHERE turn_id = $1 OR root_turn_id = $1 ORDER BY written_at DESC", turn_id
        )
        return decode_rows(change_from, rows)

    async def last_turn(self, session_id: str, states: Sequence[ChangeState], call_id: str = "") -> str | None:
        turn_id: str | None = await self._connection.fetchval(
            """SELECT CASE session_id WHEN $1 THEN turn_id ELSE root_turn_id END FROM changes
               WHERE (session_id = $1 OR root_session_id = $1) AND state = ANY($2::text[])
                 AND ($3 = '' OR call_id = $3)
               ORDER BY written_at DESC LIMIT 1""",
            session_id,
            list(states),
            call_id,
        )
        return turn_id

    async def settle(self, change: KeptChange, state: ChangeState) -> bool:
        self._footprint.require_lock(change.session_id)
        settled = await self._connection.fetchval(
            """UPDATE changes SET state = $4 WHERE turn_id = $1 AND step = $2 AND idx = $3 AND state <> 'undone'
               RETURNING TRUE""",
            change.turn_id,
            change.step,
            change.index,
            state,
        )
        return settled is not None

    async def old(self, host: str, before: float, limit: int) -> list[KeptChange]:
        rows = await self._connection.fetch(
            """SELECT c.* FROM changes c LEFT JOIN turns t ON t.id = c.turn_id
               WHERE c.host = $1 AND c.written_at < $2 AND (t.id IS NULL OR t.closed_at < $2)
               ORDER BY c.written_at LIMIT $3""",
            host,
            before,
            limit,
        )
        return decode_rows(change_from, rows)

    async def remove(self, changes: Sequence[KeptChange]) -> None:
        for change in changes:
            await self._connection.execute(
                "DELETE FROM changes WHERE turn_id = $1 AND step = $2 AND idx = $3",
                change.turn_id,
                change.step,
                change.index,
            )
