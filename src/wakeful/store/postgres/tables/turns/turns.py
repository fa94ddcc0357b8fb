"""Turns in PostgreSQL."""

from collections.abc import Sequence

import asyncpg

from wakeful.errors import LeaseLost
from wakeful.model.turn import Lease, Turn, TurnStatus
from wakeful.model.words import Said
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.tables.turns.said import said_elsewhere
from wakeful.store.rows.turns import turn_from


class PostgresTurns:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def get(self, turn_id: str) -> Turn | None:
        row = await self._connection.fetchrow("SELECT * FROM turns WHERE id = $1", turn_id)
        return None if row is None else turn_from(row)

    async def hide(self, turn_id: str) -> None:
        await self._connection.execute("UPDATE turns SET is_hidden = TRUE WHERE id = $1", turn_id)

    async def chain(self, turn_id: str, limit: int) -> list[Turn]:
        rows = await self._connection.fetch(
            """WITH RECURSIVE chain (id, parent, depth) AS (
                   SELECT id, parent, 1 FROM turns WHERE id = $1
                   UNION ALL
                   SELECT t.id, t.parent, c.depth + 1 FROM turns t JOIN chain c ON t.id = c.parent
                   WHERE c.depth < $2
               )
               SELECT t.* FROM chain c JOIN turns t ON t.id = c.id ORDER BY c.depth""",
            turn_id,
            limit,
        )
        return [turn_from(row) for row in rows]

    async def require(self, lease: Lease) -> Turn:
        self._footprint.require_lock(lease.session_id)
        turn = await self.get(lease.turn_id)
        if turn is None or turn.epoch != lease.epoch or turn.status is not TurnStatus.RUNNING:
            raise LeaseLost
        return turn

    async def last_asked(self, session_id: str) -> float:
        at: float | None = await self._connection.fetchval(
            """SELECT opened_at FROM turns WHERE session_id = $1 AND source = 'user' AND NOT is_wakeup
               ORDER BY opened_at DESC LIMIT 1""",
            session_id,
        )
        return at or 0.0

    async def mark_recorded(self, turn_id: str) -> None:
        session_id = await self._connection.fetchval(
            """UPDATE turns SET resumes = 0, taken_back = 0, taken_from = NULL WHERE id = $1
               RETURNING session_id""",
            turn_id,
        )
        if session_id is not None:
            self._footprint.require_lock(session_id)

    async def grown_from(self, turn_id: str) -> list[str]:
        rows = await self._connection.fetch(
            """WITH RECURSIVE grown (id) AS (
                   SELECT id FROM turns WHERE id = $1 UNION ALL SELECT t.id FROM turns t JOIN grown g ON t.parent = g.id
               )
               SELECT id FROM grown""",
            turn_id,
        )
        return [row["id"] for row in rows]

    async def begin_context(self, turn_ids: Sequence[str], first: str | None) -> None:
        await self._connection.execute(
            "UPDATE turns SET context_turn = $2 WHERE id = ANY($1::text[])", list(turn_ids), first
        )

    async def reserve(self, lease: Lease, pieces: int) -> None:
        self._footprint.require_lock(lease.session_id)
        changed = await self._connection.execute(
            "UPDATE turns SET reserved = $3 WHERE id = $1 AND epoch = $2 AND status = 'running'",
            lease.turn_id,
            lease.epoch,
            pieces,
        )
        if changed != "UPDATE 1":
            raise LeaseLost

    async def take_over_if_running(self, turn_id: str, epoch: int, node: str) -> Turn | None:
        row = await self._connection.fetchrow(
            """UPDATE turns SET taken_from = nullif(node, $3), node = $3, epoch = epoch + 1, resumes = resumes + 1
               WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING *""",
            turn_id,
            epoch,
            node,
        )
        if row is None:
            return None
        self._has_fenced(row)
        return turn_from(row)

    async def said_elsewhere(self, turn_id: str, base: int) -> tuple[int, Said] | None:
        return await said_elsewhere(self._connection, turn_id, base)

    async def taken_from(self, node: str) -> list[Turn]:
        rows = await self._connection.fetch(
            "SELECT * FROM turns WHERE status = 'running' AND taken_from = $1 ORDER BY opened_at", node
        )
        return [turn_from(row) for row in rows]

    async def take_resume_back(self, turn_id: str, node: str, *, limit: int) -> None:
        session_id = await self._connection.fetchval(
            """UPDATE turns SET taken_from = NULL, taken_back = taken_back + 1,
                   resumes = CASE WHEN resumes > 0 AND taken_back < $3 THEN resumes - 1 ELSE resumes END
               WHERE id = $1 AND taken_from = $2 AND status = 'running' RETURNING session_id""",
            turn_id,
            node,
            limit,
        )
        if session_id is not None:
            self._footprint.require_lock(session_id)

    async def release(self, lease: Lease) -> None:
        self._footprint.require_lock(lease.session_id)
        await self._connection.execute(
            """UPDATE turns SET node = NULL, resumes = greatest(resumes - 1, -1)
               WHERE id = $1 AND epoch = $2 AND status = 'running'""",
            lease.turn_id,
            lease.epoch,
        )

    async def orphans(self, now: float, *, keeper: str | None) -> list[Turn]:
        if keeper is not None:
            rows = await self._connection.fetch(
                """SELECT * FROM turns WHERE status = 'running' AND node IS DISTINCT FROM $1
                   ORDER BY opened_at""",
                keeper,
            )
        else:
            rows = await self._connection.fetch(
                """SELECT t.* FROM turns t LEFT JOIN nodes n ON n.id = t.node
                   WHERE t.status = 'running' AND coalesce(n.lease_until, 0) <= $1 ORDER BY t.opened_at""",
                now,
            )
        return [turn_from(row) for row in rows]

    async def running_on(self, node: str) -> list[Turn]:
        rows = await self._connection.fetch(
            "SELECT * FROM turns WHERE status = 'running' AND node = $1 ORDER BY opened_at", node
        )
        return [turn_from(row) for row in rows]

    async def running_of(self, owner: str) -> list[Turn]:
        rows = await self._connection.fetch(
            """SELECT t.* FROM turns t JOIN sessions s ON s.id = t.session_id
               WHERE t.status = 'running' AND s.owner = $1 AND s.task_id IS NULL AND s.is_listed AND s.purge_at IS NULL
               ORDER BY t.opened_at, t.id""",
            owner,
        )
        return [turn_from(row) for row in rows]

    async def recent(self, session_id: str, limit: int) -> list[Turn]:
        rows = await self._connection.fetch(
            "SELECT * FROM turns WHERE session_id = $1 ORDER BY opened_at DESC, id DESC LIMIT $2", session_id, limit
        )
        return [turn_from(row) for row in rows]

    async def keep_system_prompt(self, session_id: str, packed: bytes) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute(
            """INSERT INTO told (session_id, told) VALUES ($1, $2)
               ON CONFLICT (session_id) DO UPDATE SET told = excluded.told""",
            session_id,
            packed,
        )

    async def system_prompt(self, session_id: str) -> bytes | None:
        rows = await self._connection.fetch("SELECT told FROM told WHERE session_id = $1", session_id)
        return bytes(rows[0]["told"]) if rows else None

    def _has_fenced(self, row: asyncpg.Record) -> None:
        self._footprint.require_lock(row["session_id"])
        self._footprint.fenced[row["id"]] = row["epoch"]
