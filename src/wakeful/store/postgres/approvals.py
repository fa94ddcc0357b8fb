"""Questions to a person, their answers, and what need not be asked any more, in PostgreSQL."""

from wakeful.model.approval import Approval, Choice
from wakeful.store.decode import approval_from
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import Connection


class PostgresApprovals:
    def __init__(self, connection: Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def ask_if_new(self, approval: Approval) -> Approval:
        self._footprint.require_lock(approval.session_id)
        await self._connection.execute(
            """INSERT INTO approvals (session_id, turn_id, step, idx, call_id, command, danger, reason, expires_at,
                                      task_id, created_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (turn_id, step, idx) DO NOTHING""",
            approval.session_id,
            approval.turn_id,
            approval.step,
            approval.index,
            approval.call_id,
            approval.command.encode(),
            approval.danger,
            approval.reason.encode(),
            approval.expires_at,
            approval.task_id,
            approval.created_at,
        )
        asked = await self.get(approval.turn_id, approval.step, approval.index)
        assert asked is not None
        return asked

    async def get(self, turn_id: str, step: int, index: int) -> Approval | None:
        row = await self._connection.fetchrow(
            "SELECT * FROM approvals WHERE turn_id = $1 AND step = $2 AND idx = $3", turn_id, step, index
        )
        return None if row is None else approval_from(row)

    async def find(self, session_id: str, call_id: str) -> Approval | None:
        row = await self._connection.fetchrow(
            """SELECT * FROM approvals WHERE session_id = $1 AND call_id = $2
               ORDER BY created_at DESC, step DESC, idx DESC LIMIT 1""",
            session_id,
            call_id,
        )
        return None if row is None else approval_from(row)

    async def answer_if_open(self, approval: Approval, choice: Choice, now: float) -> bool:
        self._footprint.require_lock(approval.session_id)
        answered = await self._connection.fetchval(
            """UPDATE approvals SET choice = $4
               WHERE turn_id = $1 AND step = $2 AND idx = $3 AND choice IS NULL AND expires_at > $5
               RETURNING TRUE""",
            approval.turn_id,
            approval.step,
            approval.index,
            choice,
            now,
        )
        return answered is not None

    async def expire(self, turn_id: str, now: float) -> None:
        await self._connection.execute(
            "UPDATE approvals SET expires_at = $2 WHERE turn_id = $1 AND choice IS NULL AND expires_at > $2",
            turn_id,
            now,
        )

    async def open_of(self, session_id: str, now: float) -> list[Approval]:
        rows = await self._connection.fetch(
            """WITH RECURSIVE family (id) AS (
                   SELECT id FROM sessions WHERE id = $1
                   UNION
                   SELECT s.id FROM family f JOIN tasks t ON t.session_id = f.id JOIN sessions s ON s.task_id = t.id
               )
               SELECT a.* FROM family f JOIN approvals a ON a.session_id = f.id
               WHERE a.choice IS NULL AND a.expires_at > $2 ORDER BY a.created_at, a.turn_id, a.step, a.idx""",
            session_id,
            now,
        )
        return [approval_from(row) for row in rows]

    async def allow(self, danger: str, *, session_id: str = "", owner: str = "") -> None:
        if session_id:
            self._footprint.require_lock(session_id)
        await self._connection.execute(
            "INSERT INTO allowances (danger, session_id, owner) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            danger,
            session_id,
            owner,
        )

    async def is_allowed(self, danger: str, session_id: str, owner: str) -> bool:
        # Empty means nobody, on both sides.
        allowed = await self._connection.fetchval(
            """SELECT TRUE FROM allowances
               WHERE danger = $1 AND (session_id = $2 AND $2 <> '' OR owner = $3 AND $3 <> '') LIMIT 1""",
            danger,
            session_id,
            owner,
        )
        return allowed is not None
