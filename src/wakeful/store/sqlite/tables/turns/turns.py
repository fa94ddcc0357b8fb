"""Turns in SQLite."""

import sqlite3
from collections.abc import Callable, Sequence

from wakeful.errors import LeaseLost
from wakeful.model.turn import Lease, Turn, TurnStatus
from wakeful.model.words import Said
from wakeful.store.footprint import Footprint
from wakeful.store.rows.turns import turn_from


class SqliteTurns:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float], footprint: Footprint) -> None:
        self._connection = connection
        self._clock = clock
        self._footprint = footprint

    async def get(self, turn_id: str) -> Turn | None:
        row = self._connection.execute("SELECT * FROM turns WHERE id = ?", (turn_id,)).fetchone()
        return None if row is None else turn_from(row)

    async def hide(self, turn_id: str) -> None:
        self._connection.execute("UPDATE turns SET is_hidden = 1 WHERE id = ?", (turn_id,))

    async def chain(self, turn_id: str, limit: int) -> list[Turn]:
        rows = self._connection.execute(
            """WITH RECURSIVE chain (id, parent, depth) AS (
                   SELECT id, parent, 1 FROM turns WHERE id = ?
                   UNION ALL
                   SELECT t.id, t.parent, c.depth + 1 FROM turns t JOIN chain c ON t.id = c.parent
                   WHERE c.depth < ?
               )
               SELECT t.* FROM chain c JOIN turns t ON t.id = c.id ORDER BY c.depth""",
            (turn_id, limit),
        )
        return [turn_from(row) for row in rows]

    async def require(self, lease: Lease) -> Turn:
        self._footprint.require_lock(lease.session_id)
        turn = await self.get(lease.turn_id)
        if turn is None or turn.epoch != lease.epoch or turn.status is not TurnStatus.RUNNING:
            raise LeaseLost
        return turn

    async def last_asked(self, session_id: str) -> float:
        row = self._connection.execute(
            """SELECT opened_at FROM turns WHERE session_id = ? AND source = 'user' AND NOT is_wakeup
               ORDER BY opened_at DESC LIMIT 1""",
            (session_id,),
        ).fetchone()
        return 0.0 if row is None else row[0]

    async def mark_recorded(self, turn_id: str) -> None:
        row = self._connection.execute(
            "UPDATE turns SET resumes = 0, taken_back = 0, taken_from = NULL WHERE id = ? RETURNING session_id",
            (turn_id,),
        ).fetchone()
        if row is not None:
            self._footprint.require_lock(row["session_id"])

    async def grown_from(self, turn_id: str) -> list[str]:
        rows = self._connection.execute(
            """WITH RECURSIVE grown (id) AS (
                   SELECT id FROM turns WHERE id = ? UNION ALL SELECT t.id FROM turns t JOIN grown g ON t.parent = g.id
               )
               SELECT id FROM grown""",
            (turn_id,),
        )
        return [row["id"] for row in rows]

    async def begin_context(self, turn_ids: Sequence[str], first: str | None) -> None:
        rows = [(first, turn_id) for turn_id in turn_ids]
        self._connection.executemany("UPDATE turns SET context_turn = ? WHERE id = ?", rows)

    async def reserve(self, lease: Lease, pieces: int) -> None:
        self._footprint.require_lock(lease.session_id)
        changed = self._connection.execute(
            "UPDATE turns SET reserved = ? WHERE id = ? AND epoch = ? AND status = 'running'",
            (pieces, lease.turn_id, lease.epoch),
        )
        if not changed.rowcount:
            raise LeaseLost

    async def take_over_if_running(self, turn_id: str, epoch: int, node: str) -> Turn | None:
        row = self._connection.execute(
            """UPDATE turns SET taken_from = nullif(node, ?1), node = ?1, epoch = epoch + 1, resumes = resumes + 1
               WHERE id = ?2 AND epoch = ?3 AND status = 'running' RETURNING *""",
            (node, turn_id, epoch),
        ).fetchone()
        if row is None:
            return None
        self._footprint.require_lock(row["session_id"])
        self._footprint.fenced[turn_id] = row["epoch"]
        return turn_from(row)

    async def said_elsewhere(self, turn_id: str, base: int) -> tuple[int, Said] | None:
        return None

    async def taken_from(self, node: str) -> list[Turn]:
        rows = self._connection.execute(
            "SELECT * FROM turns WHERE status = 'running' AND taken_from = ? ORDER BY opened_at", (node,)
        )
        return [turn_from(row) for row in rows]

    async def take_resume_back(self, turn_id: str, node: str, *, limit: int) -> None:
        row = self._connection.execute(
            """UPDATE turns SET taken_from = NULL, taken_back = taken_back + 1,
                   resumes = resumes - (resumes > 0 AND taken_back < ?)
               WHERE id = ? AND taken_from = ? AND status = 'running' RETURNING session_id""",
            (limit, turn_id, node),
        ).fetchone()
        if row is not None:
            self._footprint.require_lock(row["session_id"])

    async def release(self, lease: Lease) -> None:
        self._footprint.require_lock(lease.session_id)
        self._connection.execute(
            """UPDATE turns SET node = NULL, resumes = max(resumes - 1, -1)
               WHERE id = ? AND epoch = ? AND status = 'running'""",
            (lease.turn_id, lease.epoch),
        )

    async def orphans(self, now: float, *, keeper: str | None) -> list[Turn]:
        if keeper is not None:
            rows = self._connection.execute(
                "SELECT * FROM turns WHERE status = 'running' AND node IS NOT ? ORDER BY opened_at", (keeper,)
            )
        else:
            rows = self._connection.execute(
                """SELECT t.* FROM turns t LEFT JOIN nodes n ON n.id = t.node
                   WHERE t.status = 'running' AND coalesce(n.lease_until, 0) <= ? ORDER BY t.opened_at""",
                (now,),
            )
        return [turn_from(row) for row in rows]

    async def running_on(self, node: str) -> list[Turn]:
        rows = self._connection.execute(
            "SELECT * FROM turns WHERE status = 'running' AND node = ? ORDER BY opened_at", (node,)
        )
        return [turn_from(row) for row in rows]

    async def running_of(self, owner: str) -> list[Turn]:
        # CROSS JOIN fixes the order: few turns run, however many sessions there are.
        rows = self._connection.execute(
            """SELECT t.* FROM turns t CROSS JOIN sessions s ON s.id = t.session_id
               WHERE t.status = 'running' AND s.owner = ? AND s.task_id IS NULL AND s.is_listed AND s.purge_at IS NULL
               ORDER BY t.opened_at, t.id""",
            (owner,),
        )
        return [turn_from(row) for row in rows]

    async def recent(self, session_id: str, limit: int) -> list[Turn]:
        rows = self._connection.execute(
            "SELECT * FROM turns WHERE session_id = ? ORDER BY opened_at DESC, id DESC LIMIT ?", (session_id, limit)
        )
        return [turn_from(row) for row in rows]

    async def keep_system_prompt(self, session_id: str, packed: bytes) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute(
            """INSERT INTO told (session_id, told) VALUES (?, ?)
               ON CONFLICT (session_id) DO UPDATE SET told = excluded.told""",
            (session_id, packed),
        )

    async def system_prompt(self, session_id: str) -> bytes | None:
        row = self._connection.execute("SELECT told FROM told WHERE session_id = ?", (session_id,)).fetchone()
        return None if row is None else bytes(row["told"])
