"""How far logs were made into posts, and which node holds which platform's door, in PostgreSQL."""

from collections.abc import Sequence
from typing import Any

import orjson

from wakeful.model.messaging.door import DoorStatus
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.rows.messaging import door_status_from, door_status_values


class PostgresOutboxCursors:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def hold(self, session_id: str) -> int:
        seq: int = await self._connection.fetchval(
            """INSERT INTO outbox_cursors VALUES ($1, 0)
               ON CONFLICT (session_id) DO UPDATE SET seq = outbox_cursors.seq RETURNING seq""",
            session_id,
        )
        return seq

    async def put(self, session_id: str, seq: int) -> None:
        await self._connection.execute(
            """INSERT INTO outbox_cursors VALUES ($1, $2)
               ON CONFLICT (session_id) DO UPDATE SET seq = greatest(outbox_cursors.seq, excluded.seq)""",
            session_id,
            seq,
        )

    async def behind(self, platforms: Sequence[str], limit: int) -> list[str]:
        rows = await self._connection.fetch(
            """SELECT s.id FROM sessions s LEFT JOIN outbox_cursors c ON c.session_id = s.id
               WHERE s.platform IN ('telegram', 'discord', 'slack') AND s.platform = ANY($1::text[])
                 AND s.last_seq > coalesce(c.seq, 0) ORDER BY s.id LIMIT $2""",
            list(platforms),
            limit,
        )
        return [row["id"] for row in rows]


class PostgresPlatformDoors:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def hold(self, platform: str, node: str) -> bool:
        await self._connection.execute(
            """INSERT INTO platform_doors (platform, node, memory) VALUES ($1, $2, $3)
               ON CONFLICT (platform) DO UPDATE SET node = excluded.node
               WHERE platform_doors.node IS NULL
                  OR platform_doors.node NOT IN (SELECT id FROM nodes WHERE lease_until > wakeful_now())""",
            platform,
            node,
            b"{}",
        )
        return await self.is_held_by(platform, node)

    async def release(self, platform: str, node: str) -> None:
        await self._connection.execute(
            "UPDATE platform_doors SET node = NULL WHERE platform = $1 AND node = $2", platform, node
        )

    async def is_held_by(self, platform: str, node: str) -> bool:
        held = await self._connection.fetchval(
            "SELECT TRUE FROM platform_doors WHERE platform = $1 AND node = $2 FOR SHARE", platform, node
        )
        return held is not None

    async def note(self, platform: str, node: str, status: DoorStatus) -> bool:
        await self._connection.execute(
            """UPDATE platform_doors SET state = $3, since = $4, bot = $5, error = $6
               WHERE platform = $1 AND node = $2 AND (state, since, bot, error) <> ($3, $4, $5, $6)""",
            platform,
            node,
            *door_status_values(status),
        )
        return await self.is_held_by(platform, node)

    async def status(self, platform: str) -> DoorStatus:
        row = await self._connection.fetchrow(
            "SELECT state, since, bot, error FROM platform_doors WHERE platform = $1", platform
        )
        return DoorStatus() if row is None else door_status_from(row)

    async def memory(self, platform: str) -> dict[str, Any]:
        memory: bytes | None = await self._connection.fetchval(
            "SELECT memory FROM platform_doors WHERE platform = $1", platform
        )
        return {} if memory is None else orjson.loads(memory)

    async def remember(self, platform: str, memory: dict[str, Any]) -> None:
        await self._connection.execute(
            """INSERT INTO platform_doors (platform, memory) VALUES ($1, $2)
               ON CONFLICT (platform) DO UPDATE SET memory = excluded.memory""",
            platform,
            orjson.dumps(memory),
        )
