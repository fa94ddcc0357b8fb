"""How far logs were made into posts, and which node holds which platform's door, in SQLite."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import orjson

from wakeful.model.messaging.door import DoorStatus
from wakeful.store.rows.messaging import door_status_from, door_status_values


class SqliteOutboxCursors:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def hold(self, session_id: str) -> int:
        # There is one writer at a time.
        row = self._connection.execute("SELECT seq FROM outbox_cursors WHERE session_id = ?", (session_id,)).fetchone()
        return 0 if row is None else row["seq"]

    async def put(self, session_id: str, seq: int) -> None:
        self._connection.execute(
            """INSERT INTO outbox_cursors VALUES (?, ?)
               ON CONFLICT (session_id) DO UPDATE SET seq = max(seq, excluded.seq)""",
            (session_id, seq),
        )

    async def behind(self, platforms: Sequence[str], limit: int) -> list[str]:
        marks = ", ".join("?" * len(platforms))
        rows = self._connection.execute(
            f"""SELECT s.id FROM sessions s LEFT JOIN outbox_cursors c ON c.session_id = s.id
                WHERE s.platform IN ('telegram', 'discord', 'slack') AND s.platform IN ({marks})
                  AND s.last_seq > coalesce(c.seq, 0) ORDER BY s.id LIMIT ?""",
            (*platforms, limit),
        )
        return [row["id"] for row in rows]


class SqlitePlatformDoors:
    """One engine holds a SQLite file: whatever node held a door before is gone."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def hold(self, platform: str, node: str) -> bool:
        self._connection.execute(
            """INSERT INTO platform_doors (platform, node, memory) VALUES (?, ?, ?)
               ON CONFLICT (platform) DO UPDATE SET node = excluded.node""",
            (platform, node, b"{}"),
        )
        return True

    async def release(self, platform: str, node: str) -> None:
        self._connection.execute(
            "UPDATE platform_doors SET node = NULL WHERE platform = ? AND node = ?", (platform, node)
        )

    async def is_held_by(self, platform: str, node: str) -> bool:
        row = self._connection.execute(
            "SELECT node = ? AS is_held FROM platform_doors WHERE platform = ?", (node, platform)
        ).fetchone()
        return row is not None and bool(row["is_held"])

    async def note(self, platform: str, node: str, status: DoorStatus) -> bool:
        self._connection.execute(
            """UPDATE platform_doors SET state = ?3, since = ?4, bot = ?5, error = ?6
               WHERE platform = ?1 AND node = ?2 AND (state, since, bot, error) <> (?3, ?4, ?5, ?6)""",
            (platform, node, *door_status_values(status)),
        )
        return await self.is_held_by(platform, node)

    async def status(self, platform: str) -> DoorStatus:
        row = self._connection.execute(
            "SELECT state, since, bot, error FROM platform_doors WHERE platform = ?", (platform,)
        ).fetchone()
        return DoorStatus() if row is None else door_status_from(row)

    async def memory(self, platform: str) -> dict[str, Any]:
        row = self._connection.execute("SELECT memory FROM platform_doors WHERE platform = ?", (platform,)).fetchone()
        return {} if row is None else orjson.loads(row["memory"])

    async def remember(self, platform: str, memory: dict[str, Any]) -> None:
        self._connection.execute(
            """INSERT INTO platform_doors (platform, memory) VALUES (?, ?)
               ON CONFLICT (platform) DO UPDATE SET memory = excluded.memory""",
            (platform, orjson.dumps(memory)),
        )
