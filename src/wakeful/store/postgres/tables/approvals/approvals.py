"""Approvals in PostgreSQL."""

from wakeful.model.approvals.approval import EXPIRED, Approval, Choice
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.approvals import APPROVAL_COLUMNS, approval_from, approval_values
from wakeful.store.rows.row import decode_rows


class PostgresApprovals:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def ask_if_new(self, approval: Approval) -> Approval:
        self._footprint.require_lock(approval.session_id)
        await self._connection.execute(
            f"{insertion('approvals', APPROVAL_COLUMNS)} ON CONFLICT (turn_id, step, idx) DO NOTHING",
            *approval_values(approval),
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

    async def give_up(self, approval: Approval) -> bool:
        self._footprint.require_lock(approval.session_id)
        given_up = await self._connection.fetchval(
            """UPDATE approvals SET choice = $4
               WHERE turn_id = $1 AND step = $2 AND idx = $3 AND choice IS NULL RETURNING TRUE""",
            approval.turn_id,
            approval.step,
            approval.index,
            EXPIRED,
        )
        return given_up is not None

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
        return decode_rows(approval_from, rows)

    async def open_of_owner(self, owner: str | None, now: float) -> list[Approval]:
        rows = await self._connection.fetch(
            """SELECT a.* FROM approvals a JOIN sessions s ON s.id = a.session_id
               WHERE a.choice IS NULL AND a.expires_at > $1 AND s.purge_at IS NULL
                 AND ($2::TEXT IS NULL OR s.owner = $2)
               ORDER BY a.created_at, a.turn_id, a.step, a.idx""",
            now,
            owner,
        )
        return decode_rows(approval_from, rows)
