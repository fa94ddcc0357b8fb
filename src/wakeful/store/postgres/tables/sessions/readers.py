"""What readers have seen of sessions, in PostgreSQL."""

from collections.abc import Sequence

from wakeful.model.session import Marks
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.rows.sessions import marks_from

_MARKS = """
    WITH RECURSIVE family (root, id) AS (
        SELECT id, id FROM sessions WHERE id = ANY($1::text[])
        UNION
        SELECT f.root, s.id FROM family f
        JOIN tasks t ON t.session_id = f.id AND t.status = 'running' AND t.kind = 'delegation'
        JOIN sessions s ON s.task_id = t.id
    )
    SELECT s.id, h.status AS last_status, coalesce(h.is_wakeup, FALSE) AS is_woken,
           s.closed_seq > coalesce((SELECT seq FROM seen WHERE session_id = s.id AND owner = $2), 0) AS is_unread,
           (SELECT count(*) FROM tasks t WHERE t.session_id = s.id AND t.status = 'running') AS running_tasks,
           (SELECT count(*) FROM family f JOIN approvals a ON a.session_id = f.id
            WHERE f.root = s.id AND a.choice IS NULL AND a.expires_at > $3) AS open_approvals
    FROM sessions s LEFT JOIN turns h ON h.id = s.head WHERE s.id = ANY($1::text[])
"""


class PostgresReaders:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def see(self, owner: str, session_id: str, seq: int) -> None:
        await self._connection.execute(
            """INSERT INTO seen (session_id, owner, seq) VALUES ($1, $2, $3)
               ON CONFLICT (session_id, owner) DO UPDATE SET seq = greatest(seen.seq, excluded.seq)""",
            session_id,
            owner,
            seq,
        )
        # Lists that show the session have to read it again.
        self._footprint.sessions.add(session_id)

    async def marks(self, owner: str, session_ids: Sequence[str], now: float) -> dict[str, Marks]:
        rows = await self._connection.fetch(_MARKS, list(session_ids), owner, now)
        return {row["id"]: marks_from(row) for row in rows}
