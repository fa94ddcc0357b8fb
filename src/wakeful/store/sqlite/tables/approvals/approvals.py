"""Approvals in SQLite."""

import sqlite3

from wakeful.model.approvals.approval import EXPIRED, Approval, Choice
from wakeful.store.footprint import Footprint
from wakeful.store.rows.approvals import APPROVAL_COLUMNS, approval_from, approval_values
from wakeful.store.rows.row import decode_rows
from wakeful.store.sqlite.statement import insertion


class SqliteApprovals:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def ask_if_new(self, approval: Approval) -> Approval:
        self._footprint.require_lock(approval.session_id)
        self._connection.execute(
            f"{insertion('approvals', APPROVAL_COLUMNS)} ON CONFLICT (turn_id, step, idx) DO NOTHING",
            approval_values(approval),
        )
        asked = await self.get(approval.turn_id, approval.step, approval.index)
        assert asked is not None
        return asked

    async def get(self, turn_id: str, step: int, index: int) -> Approval | None:
        row = self._connection.execute(
            "SELECT * FROM approvals WHERE turn_id = ? AND step = ? AND idx = ?", (turn_id, step, index)
        ).fetchone()
        return None if row is None else approval_from(row)

    async def find(self, session_id: str, call_id: str) -> Approval | None:
        row = self._connection.execute(
            """SELECT * FROM approvals WHERE session_id = ? AND call_id = ?
               ORDER BY created_at DESC, step DESC, idx DESC LIMIT 1""",
            (session_id, call_id),
        ).fetchone()
        return None if row is None else approval_from(row)

    async def answer_if_open(self, approval: Approval, choice: Choice, now: float) -> bool:
        self._footprint.require_lock(approval.session_id)
        cursor = self._connection.execute(
            """UPDATE approvals SET choice = ?
               WHERE turn_id = ? AND step = ? AND idx = ? AND choice IS NULL AND expires_at > ?""",
            (choice, approval.turn_id, approval.step, approval.index, now),
        )
        return cursor.rowcount == 1

    async def give_up(self, approval: Approval) -> bool:
        self._footprint.require_lock(approval.session_id)
        cursor = self._connection.execute(
            "UPDATE approvals SET choice = ? WHERE turn_id = ? AND step = ? AND idx = ? AND choice IS NULL",
            (EXPIRED, approval.turn_id, approval.step, approval.index),
        )
        return cursor.rowcount == 1

    async def expire(self, turn_id: str, now: float) -> None:
        self._connection.execute(
            "UPDATE approvals SET expires_at = ? WHERE turn_id = ? AND choice IS NULL AND expires_at > ?",
            (now, turn_id, now),
        )

    async def open_of(self, session_id: str, now: float) -> list[Approval]:
        rows = self._connection.execute(
            """WITH RECURSIVE family (id) AS (
                   SELECT id FROM sessions WHERE id = ?
                   UNION
                   SELECT s.id FROM family f JOIN tasks t ON t.session_id = f.id JOIN sessions s ON s.task_id = t.id
               )
               SELECT a.* FROM family f JOIN approvals a ON a.session_id = f.id
               WHERE a.choice IS NULL AND a.expires_at > ? ORDER BY a.created_at, a.turn_id, a.step, a.idx""",
            (session_id, now),
        )
        return decode_rows(approval_from, rows)

    async def open_of_owner(self, owner: str | None, now: float) -> list[Approval]:
        rows = self._connection.execute(
            """SELECT a.* FROM approvals a JOIN sessions s ON s.id = a.session_id
               WHERE a.choice IS NULL AND a.expires_at > ?1 AND s.purge_at IS NULL AND (?2 IS NULL OR s.owner = ?2)
               ORDER BY a.created_at, a.turn_id, a.step, a.idx""",
            (now, owner),
        )
        return decode_rows(approval_from, rows)
