"""Removes deleted sessions from PostgreSQL."""

from collections import defaultdict
from collections.abc import Sequence

from wakeful.model.turn import removable_turns
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.search.search import PostgresSearch

# Tables of what belongs to one session alone, and a column that tells their rows apart. In this order no row refers to
# one that is gone.
_TABLES = {
    "seen": "owner",
    "grants": "id",
    "news": "number",
    "approvals": "turn_id",
    "changes": "turn_id",
    "conversations": "id",
    "events": "session_seq",
    "inbox": "id",
    "tasks": "id",
    "posts": "id",
    "chats": "key",
    "outbox_cursors": "session_id",
    "told": "session_id",
    # Left by a node that died while it was streaming words.
    "words": "turn_id",
}


class PostgresPurges:
    def __init__(self, connection: PostgresConnection, footprint: Footprint, search: PostgresSearch) -> None:
        self._connection = connection
        self._footprint = footprint
        self._search = search

    async def remove_some(self, session_id: str, limit: int) -> bool:
        self._footprint.require_lock(session_id)
        for table, key in _TABLES.items():
            limit -= await self._remove(table, key, session_id, limit)
            if limit <= 0:
                return True
        return False

    async def let_go(self, session_id: str) -> None:
        self._footprint.require_lock(session_id)
        held = await self._connection.fetchrow("SELECT head, checkpoint FROM sessions WHERE id = $1", session_id)
        await self._look_again(session_id, list(held or ()))
        await self._connection.execute(
            "UPDATE sessions SET head = NULL, checkpoint = NULL, active = NULL, title = '' WHERE id = $1", session_id
        )
        await self._search.remove_title(session_id)

    async def remove_turns(
        self, session_id: str, before: tuple[float, str] | None, limit: int
    ) -> tuple[int, tuple[float, str] | None]:
        self._footprint.require_lock(session_id)
        rows = await self._connection.fetch(
            """SELECT id, opened_at FROM turns WHERE session_id = $1 AND (opened_at, id) < ($2, $3)
               ORDER BY opened_at DESC, id DESC LIMIT $4""",
            session_id,
            *(before or (float("inf"), "")),
            limit,
        )
        gone = await self._removable_turns(session_id, [row["id"] for row in rows])
        await self._remove_all(session_id, gone)
        last = (rows[-1]["opened_at"], rows[-1]["id"]) if len(rows) == limit else None
        return len(gone), last

    async def finish(self, session_id: str) -> bool:
        self._footprint.require_lock(session_id)
        # The run of a job stays in the job's history, without the session that is gone.
        await self._connection.execute(
            "UPDATE cron_runs SET session_id = '', turn_id = '' WHERE session_id = $1", session_id
        )
        is_left = "EXISTS (SELECT 1 FROM turns WHERE session_id = $1)"
        await self._connection.execute(f"UPDATE sessions SET is_purged = TRUE WHERE id = $1 AND {is_left}", session_id)
        tag = await self._connection.execute(f"DELETE FROM sessions WHERE id = $1 AND NOT {is_left}", session_id)
        self._footprint.sessions.add(session_id)
        return tag == "DELETE 1"

    async def give_space_back(self, pages: int) -> bool:
        # The server's autovacuum does it.
        return False

    async def _removable_turns(self, session_id: str, turns: Sequence[str]) -> list[str]:
        children: dict[str, list[str]] = defaultdict(list)
        for parent, child in await self._connection.fetch(
            "SELECT parent, id FROM turns WHERE parent = ANY($1::text[])", turns
        ):
            children[parent].append(child)
        held = await self._connection.fetch(
            """SELECT head FROM sessions WHERE head = ANY($1::text[]) AND id <> $2
               UNION SELECT checkpoint FROM sessions WHERE checkpoint = ANY($1::text[]) AND id <> $2""",
            turns,
            session_id,
        )
        return removable_turns(turns, children, {row[0] for row in held})

    async def _remove_all(self, session_id: str, turns: Sequence[str]) -> None:
        parents = await self._connection.fetch("SELECT parent FROM turns WHERE id = ANY($1::text[])", turns)
        await self._look_again(session_id, [row[0] for row in parents])
        for table, column in (
            ("search_docs", "turn_id"),
            ("idempotency_keys", "turn_id"),
            ("journal", "turn_id"),
            ("turns", "id"),
        ):
            await self._connection.execute(f"DELETE FROM {table} WHERE {column} = ANY($1::text[])", turns)

    async def _look_again(self, session_id: str, turns: Sequence[str | None]) -> None:
        """Let other deleted sessions be purged again: they may have kept turns only for the sake of this one."""
        await self._connection.execute(
            """UPDATE sessions SET is_purged = FALSE WHERE is_purged AND id <> $1
               AND id IN (SELECT session_id FROM turns WHERE id = ANY($2::text[]))""",
            session_id,
            turns,
        )

    async def _remove(self, table: str, key: str, session_id: str, limit: int) -> int:
        tag = await self._connection.execute(
            f"""DELETE FROM {table} WHERE session_id = $1 AND {key} IN (
                    SELECT {key} FROM {table} WHERE session_id = $1 LIMIT $2)""",
            session_id,
            limit,
        )
        return int(tag.removeprefix("DELETE "))
