"""Rows of the days' spend."""

from collections.abc import Iterable
from zlib import crc32

from wakeful.model.spend import Spend
from wakeful.store.rows.row import Row

# An owner's day is spread over so many rows: two answers that are recorded at the same time seldom wait for each other.
_SHARDS = 16


def shard_of(key: str) -> int:
    return crc32(key.encode()) % _SHARDS


def spend_values(spend: Spend) -> tuple[int, int, float, int]:
    """Return the amounts in the order of the columns."""
    return spend.input_tokens, spend.output_tokens, spend.usd, spend.unpriced_tokens


def days_from(rows: Iterable[Row]) -> dict[int, Spend]:
    return {
        row["day"]: Spend(row["input_tokens"], row["output_tokens"], row["cost_usd"], row["unpriced_tokens"])
        for row in rows
    }
