"""What answers cost, in SQLite."""

import sqlite3
from collections.abc import Callable

from wakeful.model.spend import Spend, day_of
from wakeful.store.footprint import Footprint
from wakeful.store.rows.spending import days_from, shard_of, spend_values

_ADD = """
    INSERT INTO spending (day, owner, shard, input_tokens, output_tokens, cost_usd, unpriced_tokens)
    VALUES (?1, {owner}, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (day, owner, shard) DO UPDATE SET
        input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
        cost_usd = cost_usd + excluded.cost_usd, unpriced_tokens = unpriced_tokens + excluded.unpriced_tokens
"""
_ADD_OF_SESSION = _ADD.format(owner="(SELECT owner FROM sessions WHERE id = ?2)")
_ADD_OF_OWNER = _ADD.format(owner="?2")


class SqliteSpending:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float], footprint: Footprint) -> None:
        self._connection = connection
        self._clock = clock
        self._footprint = footprint

    async def add(self, session_id: str, spend: Spend, *, context_tokens: int | None = None) -> None:
        self._footprint.require_lock(session_id)
        self._connection.execute(
            """UPDATE sessions SET input_tokens = input_tokens + ?1, output_tokens = output_tokens + ?2,
                                   cost_usd = cost_usd + ?3, unpriced_tokens = unpriced_tokens + ?4,
                                   context_tokens = coalesce(?5, context_tokens)
               WHERE id = ?6""",
            (*spend_values(spend), context_tokens, session_id),
        )
        add_to_day(self._connection, self._clock(), session_id, spend)

    async def add_unstored(self, owner: str, spend: Spend) -> None:
        day = day_of(self._clock())
        self._connection.execute(_ADD_OF_OWNER, (day, owner, shard_of(owner), *spend_values(spend)))

    async def since(self, day: int, owner: str | None) -> dict[int, Spend]:
        rows = self._connection.execute(
            """SELECT day, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
                      sum(cost_usd) AS cost_usd, sum(unpriced_tokens) AS unpriced_tokens
               FROM spending WHERE day >= ?1 AND (?2 IS NULL OR owner = ?2) GROUP BY day""",
            (day, owner),
        )
        return days_from(rows)


def add_to_day(connection: sqlite3.Connection, now: float, session_id: str, spend: Spend) -> None:
    connection.execute(_ADD_OF_SESSION, (day_of(now), session_id, shard_of(session_id), *spend_values(spend)))
