"""Sessions in PostgreSQL."""

from collections.abc import Collection

from wakeful.model.session import Session
from wakeful.store.decode import session_from
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import Connection

# In the order of ids: whoever locks several sessions meets the others in the same order, so nobody waits in a circle.
LOCK = "SELECT id FROM sessions WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE"

_MAY_WAKE = "NOT s.is_held AND NOT s.is_blocked"
_DUE = "greatest(i.not_before, coalesce(s.wake_at, 0))"
_IDLE_WITH_PENDING = """
    FROM inbox i JOIN sessions s ON s.id = i.session_id
    WHERE i.status = 'pending' AND s.active IS NULL
"""
_IN_THE_LIST = """
    s.task_id IS NULL AND s.is_listed AND ($1::text IS NULL OR s.owner = $1)
    AND ($2::float8 IS NULL OR (s.updated_at, s.id) < ($2, $3::text))
"""
_SAYS = """(strpos(lower(s.title), lower($5)) > 0 OR EXISTS (
    SELECT 1 FROM turns t JOIN journal j ON j.turn_id = t.id
    WHERE t.session_id = s.id AND strpos(lower(wakeful_text(j.payload)), lower($5)) > 0
))"""


async def lock_sessions(connection: Connection, session_ids: Collection[str]) -> None:
    """A statement of its own, before all others: one that waits for a lock sees the rows as they were before it."""
    if session_ids:
        await connection.fetch(LOCK, list(session_ids))


class PostgresSessions:
    def __init__(self, connection: Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def create_if_absent(self, session: Session) -> bool:
        address = session.address
        # A conflict updates nothing, but locks the row that is there: the caller goes on as its holder.
        created = await self._connection.fetchval(
            """INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, title, task_id,
                                     is_listed, head, checkpoint, created_at, updated_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
               ON CONFLICT (id) DO UPDATE SET owner = excluded.owner WHERE FALSE
               RETURNING TRUE""",
            session.id,
            session.owner,
            address.platform,
            address.chat_id,
            address.thread_id,
            session.model,
            session.workspace,
            session.title,
            session.task_id,
            session.is_listed,
            session.head,
            session.checkpoint,
            session.created_at,
            session.updated_at,
        )
        self._footprint.note_locked(session.id)
        return created is not None

    async def get(self, session_id: str) -> Session | None:
        row = await self._connection.fetchrow("SELECT * FROM sessions WHERE id = $1", session_id)
        return None if row is None else session_from(row)

    async def change(self, session_id: str, *, title: str | None = None, model: str | None = None) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute(
            """UPDATE sessions SET title = coalesce($2, title), model = coalesce($3, model),
                                   is_blocked = is_blocked AND coalesce($3, model) = model
               WHERE id = $1""",
            session_id,
            title,
            model,
        )

    async def page(
        self, owner: str | None, *, query: str = "", before: tuple[float, str] | None = None, limit: int
    ) -> list[Session]:
        # Text has no NUL here, so none can be looked for.
        words = query.replace("\0", "")
        wanted = f"{_IN_THE_LIST} AND {_SAYS}" if words else _IN_THE_LIST
        rows = await self._connection.fetch(
            f"SELECT s.* FROM sessions s WHERE {wanted} ORDER BY s.updated_at DESC, s.id DESC LIMIT $4",
            owner,
            *(before or (None, None)),
            limit,
            *([words] if words else []),
        )
        return [session_from(row) for row in rows]

    async def activate(self, session_id: str, turn_id: str, *, release_hold: bool) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute(
            "UPDATE sessions SET active = $2, is_held = is_held AND NOT $3, wake_at = NULL WHERE id = $1",
            session_id,
            turn_id,
            release_hold,
        )

    async def settle(
        self, session_id: str, *, head: str, checkpoint: str | None, is_held: bool, is_blocked: bool
    ) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute(
            """UPDATE sessions SET active = NULL, head = $2, checkpoint = $3, is_held = $4, is_blocked = $5,
                   message_count = message_count + (SELECT count(*) FROM journal WHERE turn_id = $2)
               WHERE id = $1""",
            session_id,
            head,
            checkpoint,
            is_held,
            is_blocked,
        )

    async def wake_later(self, session_id: str, at: float | None) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute("UPDATE sessions SET wake_at = $2 WHERE id = $1", session_id, at)

    async def ready(self, now: float) -> list[str]:
        rows = await self._connection.fetch(
            f"""SELECT DISTINCT s.id {_IDLE_WITH_PENDING}
                AND (i.kind = 'message' OR ({_MAY_WAKE} AND {_DUE} <= $1)) ORDER BY s.id""",
            now,
        )
        return [row["id"] for row in rows]

    async def next_due(self, now: float) -> float | None:
        due: float | None = await self._connection.fetchval(
            f"""SELECT min({_DUE}) {_IDLE_WITH_PENDING}
                AND i.kind <> 'message' AND {_MAY_WAKE} AND {_DUE} > $1""",
            now,
        )
        return due
