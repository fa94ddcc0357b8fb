"""Posts to messaging platforms in SQLite."""

import sqlite3
from collections.abc import Collection
from typing import Any

from wakeful.model.messaging.post import Post, PostState
from wakeful.store.rows.messaging import POST, packed, post_from, post_values
from wakeful.store.sqlite.statement import insertion

_PUT = f"""{insertion("posts", POST)} ON CONFLICT (key) DO UPDATE SET
    wanted = excluded.wanted, details = excluded.details
    WHERE posts.state <> 'dropped' AND (posts.wanted, posts.details) <> (excluded.wanted, excluded.details)"""
# As the indexes have it: a database uses a partial index only for a query that repeats its condition.
_AT_WORK = "state IN ('waiting', 'sending', 'unknown') OR (state = 'sent' AND wanted <> shown)"
_NOT_OUT = "state IN ('waiting', 'sending', 'unknown', 'refused')"


class SqlitePosts:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def put(self, post: Post) -> bool:
        return self._connection.execute(_PUT, post_values(post)).rowcount == 1

    async def get(self, post_id: str) -> Post | None:
        found = self._select("id = ?", post_id)
        return found[0] if found else None

    async def keyed(self, keys: Collection[str]) -> list[Post]:
        return self._select(f"key IN ({', '.join('?' * len(keys))}) ORDER BY position, part", *keys) if keys else []

    async def of_turn(self, turn_id: str) -> list[Post]:
        return self._select("turn_id = ? ORDER BY position, part", turn_id)

    async def next_position(self) -> int:
        row = self._connection.execute("SELECT coalesce(max(position), 0) + 1 AS next FROM posts").fetchone()
        position: int = row["next"]
        return position

    async def at_work(self, platform: str) -> list[Post]:
        return self._select(f"platform = ? AND ({_AT_WORK}) ORDER BY position, part", platform)

    async def soonest(self, platform: str, now: float, until: float, limit: int) -> list[Post]:
        return self._select(
            """platform = ? AND state IN ('waiting', 'sending', 'unknown') AND (not_before <= ? OR attempted_at > ?)
               ORDER BY not_before, position LIMIT ?""",
            platform,
            until,
            now,
            limit,
        )

    async def change(self, post_id: str, state: PostState, expected: Collection[PostState], **values: Any) -> bool:
        columns = ["state = ?", *(f"{column} = ?" for column in values)]
        marks = ", ".join("?" * len(expected))
        cursor = self._connection.execute(
            f"UPDATE posts SET {', '.join(columns)} WHERE id = ? AND state IN ({marks})",
            (state, *(packed(column, value) for column, value in values.items()), post_id, *expected),
        )
        return cursor.rowcount == 1

    async def page(
        self, *, session_id: str = "", state: str = "", platform: str = "", before: int | None = None, limit: int
    ) -> list[Post]:
        wanted = {"session_id": session_id, "state": state, "platform": platform}
        given = {column: value for column, value in wanted.items() if value}
        conditions = "".join(f" AND {column} = ?" for column in given)
        narrowed = "" if state in ("", PostState.SENT, PostState.DROPPED) else f" AND {_NOT_OUT}"
        rows = self._connection.execute(
            f"""SELECT * FROM posts WHERE (? IS NULL OR position < ?){conditions}{narrowed}
                ORDER BY position DESC, part DESC LIMIT ?""",
            (before, before, *given.values(), limit),
        )
        return [post_from(row) for row in rows]

    async def counts(self) -> dict[tuple[str, PostState], int]:
        rows = self._connection.execute(
            f"SELECT platform, state, count(*) AS posts FROM posts WHERE {_NOT_OUT} GROUP BY platform, state"
        )
        return {(row["platform"], PostState(row["state"])): row["posts"] for row in rows}

    async def drop_old(self, before: float, limit: int) -> int:
        cursor = self._connection.execute(
            """DELETE FROM posts WHERE id IN (
                   SELECT id FROM posts WHERE state IN ('sent', 'refused', 'dropped') AND created_at < ? LIMIT ?
               )""",
            (before, limit),
        )
        return cursor.rowcount

    def _select(self, condition: str, *values: object) -> list[Post]:
        return [post_from(row) for row in self._connection.execute(f"SELECT * FROM posts WHERE {condition}", values)]
