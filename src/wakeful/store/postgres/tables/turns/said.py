"""Rows of the words that steps are saying at other nodes, in PostgreSQL."""

import asyncpg
import orjson

from wakeful.model.words import Said, Word, WordsHead, WordsPart
from wakeful.store.postgres.connection import PostgresConnection


async def said_elsewhere(connection: PostgresConnection, turn_id: str, base: int) -> tuple[int, Said] | None:
    """Return the step and its words up to the first gap."""
    rows = await connection.fetch("SELECT * FROM words WHERE turn_id = $1 AND base = $2 ORDER BY first", turn_id, base)
    words: list[Word] = []
    for part in map(part_from, rows):
        if part.first <= len(words) + 1:
            words += part.said.words(part.head, len(words) + 1 - part.first)
    return (rows[0]["step"], Said.of(words)) if words else None


def part_from(row: asyncpg.Record) -> WordsPart:
    text, reasoning, cuts = orjson.loads(row["said"])
    head = WordsHead(row["session_id"], row["turn_id"], row["step"], row["base"])
    return WordsPart(head, row["turn_base"], row["first"], Said(text, reasoning, tuple(cuts)))
