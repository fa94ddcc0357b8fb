"""The journal in PostgreSQL."""

from collections.abc import Collection, Iterable, Sequence

from wakeful.model.journal.entry import Chain, Entry
from wakeful.model.search.search import Hit
from wakeful.model.words import Word, WordsHead
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.search.search import PostgresSearch
from wakeful.store.rows.records import chain_from, entry_from, words_from

# Without the cuts, which only readers of words need.
_COLUMNS = "turn_id, step, idx, kind, payload, at"

# Turns without entries have a row, too. What follows a summary is bounded by the model's window, and read at once.
_CHAIN_AFTER = """
    WITH RECURSIVE chain (id, parent, depth, first) AS (
        SELECT id, CASE WHEN id = context_turn THEN NULL ELSE parent END, 0, context_turn FROM turns WHERE id = $1
        UNION ALL
        SELECT t.id, CASE WHEN t.id = c.first THEN NULL ELSE t.parent END, c.depth + 1, c.first
        FROM turns t JOIN chain c ON t.id = c.parent WHERE t.id <> ALL($2::text[])
    )
    SELECT coalesce((SELECT position FROM upkeep WHERE name = 'journal_revision'), '') AS revision, c.parent AS base,
           c.id AS last, c.depth, j.turn_id, j.step, j.idx, j.kind, j.payload, j.at
    FROM (
        SELECT * FROM chain ORDER BY depth DESC
        LIMIT (SELECT CASE WHEN context_turn IS NULL THEN $3::bigint END FROM turns WHERE id = $1)
    ) c
    LEFT JOIN journal j ON j.turn_id = c.id ORDER BY c.depth DESC, j.step, j.idx
"""


class PostgresJournal:
    def __init__(self, connection: PostgresConnection, search: PostgresSearch) -> None:
        self._connection = connection
        self._search = search

    async def add(self, entries: Iterable[Entry]) -> None:
        entries = list(entries)
        await self._connection.execute(
            """INSERT INTO journal (turn_id, step, idx, kind, payload, cuts, at)
               SELECT e.*, (SELECT wakeful_now())
               FROM unnest($1::text[], $2::integer[], $3::integer[], $4::text[], $5::bytea[], $6::bytea[]) AS e""",
            [entry.turn_id for entry in entries],
            [entry.step for entry in entries],
            [entry.index for entry in entries],
            [entry.kind for entry in entries],
            [entry.payload for entry in entries],
            [entry.cuts for entry in entries],
        )

    async def replace(self, entry: Entry) -> None:
        await self._connection.execute(
            "UPDATE journal SET payload = $4 WHERE turn_id = $1 AND step = $2 AND idx = $3",
            entry.turn_id,
            entry.step,
            entry.index,
            entry.payload,
        )
        await self._search.remove_entry(entry)
        await self._search.add_entry(entry)
        await self._connection.execute(
            """INSERT INTO upkeep (name, position) VALUES ('journal_revision', '1')
               ON CONFLICT (name) DO UPDATE SET position = upkeep.position::bigint + 1"""
        )

    async def at(self, hits: Sequence[Hit]) -> list[Entry]:
        rows = await self._connection.fetch(
            f"""SELECT {_COLUMNS} FROM journal JOIN unnest($1::text[], $2::integer[], $3::integer[])
                    AS hit (turn_id, step, idx) USING (turn_id, step, idx)""",
            [hit.turn_id for hit in hits],
            [hit.step for hit in hits],
            [hit.index for hit in hits],
        )
        return [entry_from(row) for row in rows]

    async def of_turns(self, turn_ids: Sequence[str]) -> list[Entry]:
        rows = await self._connection.fetch(
            f"SELECT {_COLUMNS} FROM journal WHERE turn_id = ANY($1::text[]) ORDER BY turn_id, step, idx",
            list(turn_ids),
        )
        return [entry_from(row) for row in rows]

    async def inputs_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        return await self._of_kind("input", turn_ids)

    async def summaries_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        return await self._of_kind("summary", turn_ids)

    async def of_step(self, turn_id: str, step: int) -> list[Entry]:
        rows = await self._connection.fetch(
            f"SELECT {_COLUMNS} FROM journal WHERE turn_id = $1 AND step = $2 ORDER BY idx", turn_id, step
        )
        return [entry_from(row) for row in rows]

    async def words(self, head: WordsHead, after: int, limit: int) -> list[Word]:
        row = await self._connection.fetchrow(
            "SELECT payload, cuts FROM journal WHERE turn_id = $1 AND step = $2 AND idx = 0", head.turn_id, head.step
        )
        return words_from(row, head, after, limit)

    async def last_answers(self, turn_ids: Sequence[str]) -> dict[str, Entry]:
        rows = await self._connection.fetch(
            f"""SELECT DISTINCT ON (turn_id) {_COLUMNS} FROM journal WHERE turn_id = ANY($1::text[]) AND kind = 'answer'
               ORDER BY turn_id, step DESC""",
            list(turn_ids),
        )
        return {row["turn_id"]: entry_from(row) for row in rows}

    async def paid(self, session_id: str, after: tuple[str, int], limit: int) -> list[Entry]:
        rows = await self._connection.fetch(
            """SELECT j.turn_id, j.step, j.idx, j.kind, j.payload, j.at FROM turns t JOIN journal j ON j.turn_id = t.id
               WHERE t.session_id = $1 AND j.kind IN ('answer', 'summary') AND (j.turn_id, j.step) > ($2, $3)
               ORDER BY j.turn_id, j.step LIMIT $4""",
            session_id,
            *after,
            limit,
        )
        return [entry_from(row) for row in rows]

    async def count_chain(self, turn_id: str) -> int:
        count: int = await self._connection.fetchval(
            """WITH RECURSIVE chain (id, parent) AS (
                   SELECT id, parent FROM turns WHERE id = $1
                   UNION ALL
                   SELECT t.id, t.parent FROM turns t JOIN chain c ON t.id = c.parent
               )
               SELECT count(*) FROM chain c JOIN journal j ON j.turn_id = c.id""",
            turn_id,
        )
        return count

    async def of_chain(self, turn_id: str) -> list[Entry]:
        rows = await self._connection.fetch(
            """WITH RECURSIVE chain (id, parent, depth) AS (
                   SELECT id, parent, 0 FROM turns WHERE id = $1
                   UNION ALL
                   SELECT t.id, t.parent, c.depth + 1 FROM turns t JOIN chain c ON t.id = c.parent
               )
               SELECT j.turn_id, j.step, j.idx, j.kind, j.payload, j.at FROM chain c JOIN journal j ON j.turn_id = c.id
               ORDER BY c.depth DESC, j.step, j.idx""",
            turn_id,
        )
        return [entry_from(row) for row in rows]

    async def of_chain_after(self, turn_id: str, known: Collection[str], limit: int) -> Chain:
        return chain_from(await self._connection.fetch(_CHAIN_AFTER, turn_id, list(known), limit))

    async def _of_kind(self, kind: str, turn_ids: Sequence[str]) -> list[Entry]:
        rows = await self._connection.fetch(
            f"""SELECT {_COLUMNS} FROM journal WHERE turn_id = ANY($1::text[]) AND kind = $2
                ORDER BY turn_id, step, idx""",
            list(turn_ids),
            kind,
        )
        return [entry_from(row) for row in rows]
