"""What answers cost, in PostgreSQL."""

from wakeful.model.spend import Spend
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.rows.spending import days_from, shard_of, spend_values

# After an INSERT of a day's row. Only the amounts come from the row that was to be inserted.
ADD_UP = """
    ON CONFLICT (day, owner, shard) DO UPDATE SET
        input_tokens = spending.input_tokens + excluded.input_tokens,
        output_tokens = spending.output_tokens + excluded.output_tokens,
        cost_usd = spending.cost_usd + excluded.cost_usd,
        unpriced_tokens = spending.unpriced_tokens + excluded.unpriced_tokens
"""
# The day by the store's clock, which all nodes share.
TODAY = "floor(wakeful_now() / 86400)::bigint"
SPENDING_COLUMNS = "day, owner, shard, input_tokens, output_tokens, cost_usd, unpriced_tokens"

_ADD = f"""
    WITH spent AS (
        UPDATE sessions SET input_tokens = input_tokens + $3, output_tokens = output_tokens + $4,
                            cost_usd = cost_usd + $5, unpriced_tokens = unpriced_tokens + $6,
                            context_tokens = coalesce($7, context_tokens)
        WHERE id = $1 RETURNING owner
    )
    INSERT INTO spending ({SPENDING_COLUMNS}) SELECT {TODAY}, owner, $2, $3, $4, $5, $6 FROM spent {ADD_UP}
"""
_ADD_UNSTORED = f"INSERT INTO spending ({SPENDING_COLUMNS}) VALUES ({TODAY}, $1, $2, $3, $4, $5, $6) {ADD_UP}"


class PostgresSpending:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def add(self, session_id: str, spend: Spend, *, context_tokens: int | None = None) -> None:
        self._footprint.require_lock(session_id)
        await self._connection.execute(_ADD, session_id, shard_of(session_id), *spend_values(spend), context_tokens)

    async def add_unstored(self, owner: str, spend: Spend) -> None:
        await self._connection.execute(_ADD_UNSTORED, owner, shard_of(owner), *spend_values(spend))

    async def since(self, day: int, owner: str | None) -> dict[int, Spend]:
        rows = await self._connection.fetch(
            """SELECT day, sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
                      sum(cost_usd) AS cost_usd, sum(unpriced_tokens)::bigint AS unpriced_tokens
               FROM spending WHERE day >= $1 AND ($2::text IS NULL OR owner = $2) GROUP BY day""",
            day,
            owner,
        )
        return days_from(rows)
