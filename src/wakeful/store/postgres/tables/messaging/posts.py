"""Posts to messaging platforms in PostgreSQL."""

from collections.abc import Collection
from typing import Any

from wakeful.model.messaging.post import Post, PostState
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.messaging import POST, packed, post_from, post_values

_PUT = f"""{insertion("posts", POST)} ON CONFLICT (key) DO UPDATE SET
    wanted = excluded.wanted, details = excluded.details
    WHERE posts.state <> 'dropped' AND (posts.wanted, posts.details) <> (excluded.wanted, excluded.details)
    RETURNING TRUE"""
# As the indexes have it: a database uses a partial index only for a query that repeats its condition.
_AT_WORK = "state IN ('waiting', 'sending', 'unknown') OR (state = 'sent' AND wanted <> shown)"
_NOT_OUT = "state IN ('waiting', 'sending', 'unknown', 'refused')"


class PostgresPosts:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def put(self, post: Post) -> bool:
        return await self._connection.fetchval(_PUT, *post_values(post)) is not None

    async def get(self, post_id: str) -> Post | None:
        found = await self._select("id = $1", post_id)
        return found[0] if found else None

    async def keyed(self, keys: Collection[str]) -> list[Post]:
        return await self._select("key = ANY($1::text[]) ORDER BY position, part", list(keys))

    async def of_turn(self, turn_id: str) -> list[Post]:
        return await self._select("turn_id = $1 ORDER BY position, part", turn_id)

    async def next_position(self) -> int:
        position: int = await self._connection.fetchval("SELECT nextval('post_positions')")
        return position

    async def at_work(self, platform: str) -> list[Post]:
        return await self._select(f"platform = $1 AND ({_AT_WORK}) ORDER BY position, part", platform)

    async def soonest(self, platform: str, now: float, until: float, limit: int) -> list[Post]:
        return await self._select(
            """platform = $1 AND state IN ('waiting', 'sending', 'unknown') AND (not_before <= $2 OR attempted_at > $3)
               ORDER BY not_before, position LIMIT $4""",
            platform,
            until,
            now,
            limit,
        )

    async def change(self, post_id: str, state: PostState, expected: Collection[PostState], **values: Any) -> bool:
        columns = ["state = $3", *(f"{column} = ${number}" for number, column in enumerate(values, start=4))]
        changed = await self._connection.fetchval(
            f"UPDATE posts SET {', '.join(columns)} WHERE id = $1 AND state = ANY($2::text[]) RETURNING TRUE",
            post_id,
            list(expected),
            state,
            *(packed(column, value) for column, value in values.items()),
        )
        return changed is not None

    async def page(
        self, *, session_id: str = "", state: str = "", platform: str = "", before: int | None = None, limit: int
    ) -> list[Post]:
        wanted = {"session_id": session_id, "state": state, "platform": platform}
        given = {column: value for column, value in wanted.items() if value}
        conditions = "".join(f" AND {column} = ${number}" for number, column in enumerate(given, start=3))
        narrowed = "" if state in ("", PostState.SENT, PostState.DROPPED) else f" AND {_NOT_OUT}"
        return await self._select(
            f"($1::bigint IS NULL OR position < $1){conditions}{narrowed} ORDER BY position DESC, part DESC LIMIT $2",
            before,
            limit,
            *given.values(),
        )

    async def counts(self) -> dict[tuple[str, PostState], int]:
        rows = await self._connection.fetch(
            f"SELECT platform, state, count(*) AS posts FROM posts WHERE {_NOT_OUT} GROUP BY platform, state"
        )
        return {(row["platform"], PostState(row["state"])): row["posts"] for row in rows}

    async def drop_old(self, before: float, limit: int) -> int:
        dropped: int = await self._connection.fetchval(
            """WITH dropped AS (
                   DELETE FROM posts WHERE id IN (
                       SELECT id FROM posts WHERE state IN ('sent', 'refused', 'dropped') AND created_at < $1 LIMIT $2
                   ) RETURNING 1
               )
               SELECT count(*) FROM dropped""",
            before,
            limit,
        )
        return dropped

    async def _select(self, condition: str, *values: object) -> list[Post]:
        rows = await self._connection.fetch(f"SELECT * FROM posts WHERE {condition}", *values)
        return [post_from(row) for row in rows]
