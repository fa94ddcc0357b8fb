"""News in PostgreSQL."""

from wakeful.model.event import Event, News
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.rows.records import news_from

_READ = """
    SELECT n.number, s.title, s.last_seq, e.session_id, e.session_seq, e.turn_id, e.turn_seq, e.kind, e.payload, e.at
    FROM news n
    JOIN sessions s ON s.id = n.session_id AND s.purge_at IS NULL
    JOIN events e ON e.session_id = n.session_id AND e.session_seq = n.session_seq
"""


class PostgresNews:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def add(self, owner: str, event: Event) -> None:
        self._footprint.require_lock(event.session_id)
        await self._connection.execute(
            """WITH counted AS (
                   INSERT INTO news_counters AS c (owner, last) VALUES ($1, 1)
                   ON CONFLICT (owner) DO UPDATE SET last = c.last + 1 RETURNING last
               )
               INSERT INTO news (owner, number, session_id, session_seq, at)
               SELECT $1, last, $2, $3, $4 FROM counted""",
            owner,
            event.session_id,
            event.session_seq,
            event.at,
        )

    async def last(self, owner: str) -> int:
        last: int | None = await self._connection.fetchval("SELECT last FROM news_counters WHERE owner = $1", owner)
        return last or 0

    async def after(self, owner: str, number: int, limit: int) -> list[News]:
        rows = await self._connection.fetch(
            f"{_READ} WHERE n.owner = $1 AND n.number > $2 ORDER BY n.number LIMIT $3", owner, number, limit
        )
        return [news_from(row) for row in rows]

    async def unread(self, owner: str, limit: int) -> list[News]:
        rows = await self._connection.fetch(
            f"""{_READ} LEFT JOIN seen r ON r.session_id = n.session_id AND r.owner = n.owner
                WHERE n.owner = $1 AND n.session_seq > coalesce(r.seq, 0) ORDER BY n.number DESC LIMIT $2""",
            owner,
            limit,
        )
        return [news_from(row) for row in rows]

    async def drop_old(self, before: float, limit: int) -> int:
        dropped: int = await self._connection.fetchval(
            """WITH dropped AS (
                   DELETE FROM news WHERE (owner, number) IN (
                       SELECT owner, number FROM news WHERE at < $1 ORDER BY at LIMIT $2) RETURNING 1
               )
               SELECT count(*) FROM dropped""",
            before,
            limit,
        )
        return dropped
