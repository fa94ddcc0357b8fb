"""Words and texts of older versions in PostgreSQL: finds the turns that have some, and moves them."""

from wakeful.model.event import Event
from wakeful.model.older.texts import LONG_BYTES
from wakeful.model.older.words import LookedAt, Move
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.rows.records import packed_end, quoted_position

_NAME = "old words"


class PostgresOldWords:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def position(self) -> str:
        position: str | None = await self._connection.fetchval("SELECT position FROM upkeep WHERE name = $1", _NAME)
        return position or ""

    async def reach(self, position: str) -> None:
        await self._connection.execute(
            """INSERT INTO upkeep (name, position) VALUES ($1, $2)
               ON CONFLICT (name) DO UPDATE SET position = excluded.position""",
            _NAME,
            position,
        )

    async def turns_after(self, turn_id: str, limit: int) -> list[LookedAt]:
        rows = await self._connection.fetch(
            """SELECT t.id, t.session_id, t.status <> 'running', EXISTS (
                   SELECT 1 FROM events e WHERE e.turn_id = t.id AND (
                       e.kind IN ('token', 'reasoning') OR e.step IS NULL AND length(e.payload) > $3
                       AND e.kind IN ('message', 'notice', 'tool', 'tool_complete')))
               FROM turns t WHERE t.id > $1 ORDER BY t.id LIMIT $2""",
            turn_id,
            limit,
            LONG_BYTES,
        )
        return [LookedAt(*row) for row in rows]

    async def move(self, words: Move) -> None:
        fact, entry = words.fact, words.entry
        self._footprint.require_lock(fact.session_id)
        if entry is not None:
            await self._connection.execute(
                """UPDATE journal SET cuts = $1, at = CASE kind WHEN 'cut' THEN $2 ELSE at END
                   WHERE turn_id = $3 AND step = $4 AND idx = $5""",
                entry.cuts,
                fact.at,
                entry.turn_id,
                entry.step,
                entry.index,
            )
        await self._connection.execute(
            "UPDATE events SET ends = $1 WHERE session_id = $2 AND session_seq = $3",
            packed_end(fact.ends),
            fact.session_id,
            fact.session_seq,
        )
        await self._connection.execute(
            "DELETE FROM events WHERE turn_id = $1 AND turn_seq BETWEEN $2 AND $3", fact.turn_id, *words.numbers
        )

    async def take_text(self, event: Event) -> None:
        self._footprint.require_lock(event.session_id)
        await self._connection.execute(
            "UPDATE events SET payload = $1, step = $2, idx = $3 WHERE session_id = $4 AND session_seq = $5",
            event.kept,
            *quoted_position(event),
            event.session_id,
            event.session_seq,
        )
