"""News in SQLite."""

import sqlite3

from wakeful.model.event import Event, News
from wakeful.store.footprint import Footprint
from wakeful.store.rows.records import news_from

_READ = """
    SELECT n.number, s.title, s.last_seq, e.session_id, e.session_seq, e.turn_id, e.turn_seq, e.kind, e.payload, e.at
    FROM news n
    JOIN sessions s ON s.id = n.session_id AND s.purge_at IS NULL
    JOIN events e ON e.session_id = n.session_id AND e.session_seq = n.session_seq
"""


class SqliteNews:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def add(self, owner: str, event: Event) -> None:
        self._footprint.require_lock(event.session_id)
        (number,) = self._connection.execute(
            """INSERT INTO news_counters (owner, last) VALUES (?, 1)
               ON CONFLICT (owner) DO UPDATE SET last = last + 1 RETURNING last""",
            (owner,),
        ).fetchone()
        self._connection.execute(
            "INSERT INTO news (owner, number, session_id, session_seq, at) VALUES (?, ?, ?, ?, ?)",
            (owner, number, event.session_id, event.session_seq, event.at),
        )

    async def last(self, owner: str) -> int:
        row = self._connection.execute("SELECT last FROM news_counters WHERE owner = ?", (owner,)).fetchone()
        return 0 if row is None else int(row["last"])

    async def after(self, owner: str, number: int, limit: int) -> list[News]:
        rows = self._connection.execute(
            f"{_READ} WHERE n.owner = ? AND n.number > ? ORDER BY n.number LIMIT ?", (owner, number, limit)
        )
        return [news_from(row) for row in rows]

    async def unread(self, owner: str, limit: int) -> list[News]:
        rows = self._connection.execute(
            f"""{_READ} LEFT JOIN seen r ON r.session_id = n.session_id AND r.owner = n.owner
                WHERE n.owner = ? AND n.session_seq > coalesce(r.seq, 0)
                ORDER BY n.number DESC LIMIT ?""",
            (owner, limit),
        )
        return [news_from(row) for row in rows]

    async def drop_old(self, before: float, limit: int) -> int:
        cursor = self._connection.execute(
            """DELETE FROM news WHERE (owner, number) IN (
                   SELECT owner, number FROM news WHERE at < ? ORDER BY at LIMIT ?)""",
            (before, limit),
        )
        return cursor.rowcount
