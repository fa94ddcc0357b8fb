"""The journal in SQLite."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from wakeful.model.journal.entry import Chain, Entry
from wakeful.model.search.search import Hit
from wakeful.model.words import Word, WordsHead
from wakeful.store.rows.records import ENTRY_COLUMNS, chain_from, entry_from, entry_values, words_from
from wakeful.store.sqlite.search.search import SqliteSearch
from wakeful.store.sqlite.statement import insert

# Without the cuts, which only readers of words need.
_COLUMNS = "turn_id, step, idx, kind, payload, at"

# Turns without entries have a row, too. What follows a summary is bounded by the model's window, and read at once.
_CHAIN_AFTER = """
    WITH RECURSIVE chain (id, parent, depth, first) AS (
        SELECT id, CASE WHEN id = context_turn THEN NULL ELSE parent END, 0, context_turn FROM turns WHERE id = ?
        UNION ALL
        SELECT t.id, CASE WHEN t.id = c.first THEN NULL ELSE t.parent END, c.depth + 1, c.first
        FROM turns t JOIN chain c ON t.id = c.parent WHERE t.id NOT IN ({known})
    )
    SELECT coalesce((SELECT position FROM upkeep WHERE name = 'journal_revision'), '') AS revision, c.parent AS base,
           c.id AS last, c.depth, j.turn_id, j.step, j.idx, j.kind, j.payload, j.at
    FROM (
        SELECT * FROM chain ORDER BY depth DESC
        LIMIT coalesce((SELECT CASE WHEN context_turn IS NULL THEN ? ELSE -1 END FROM turns WHERE id = ?), 0)
    ) c
    LEFT JOIN journal j ON j.turn_id = c.id ORDER BY c.depth DESC, j.step, j.idx
"""


class SqliteJournal:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float], search: SqliteSearch) -> None:
        self._connection = connection
        self._clock = clock
        self._search = search

    async def add(self, entries: Iterable[Entry]) -> None:
        at = self._clock()
        rows = [entry_values(replace(entry, at=at)) for entry in entries]
        insert(self._connection, "journal", ENTRY_COLUMNS, rows)

    async def replace(self, entry: Entry) -> None:
        for before in await self.at([Hit(entry.turn_id, entry.step, entry.index)]):
            self._search.remove_entry(before)
        self._connection.execute(
            "UPDATE journal SET payload = ? WHERE turn_id = ? AND step = ? AND idx = ?",
            (entry.payload, entry.turn_id, entry.step, entry.index),
        )
        self._search.add_entry(entry)
        self._connection.execute(
            """INSERT INTO upkeep (name, position) VALUES ('journal_revision', '1')
               ON CONFLICT (name) DO UPDATE SET position = CAST(position AS INTEGER) + 1"""
        )

    async def at(self, hits: Sequence[Hit]) -> list[Entry]:
        find = f"SELECT {_COLUMNS} FROM journal WHERE turn_id = ? AND step = ? AND idx = ?"
        rows = (self._connection.execute(find, (hit.turn_id, hit.step, hit.index)).fetchone() for hit in hits)
        return [entry_from(row) for row in rows if row is not None]

    async def of_turns(self, turn_ids: Sequence[str]) -> list[Entry]:
        marks = ", ".join("?" * len(turn_ids))
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM journal WHERE turn_id IN ({marks}) ORDER BY turn_id, step, idx", turn_ids
        )
        return [entry_from(row) for row in rows]

    async def inputs_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        return self._of_kind("input", turn_ids)

    async def summaries_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        return self._of_kind("summary", turn_ids)

    async def of_step(self, turn_id: str, step: int) -> list[Entry]:
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM journal WHERE turn_id = ? AND step = ? ORDER BY idx", (turn_id, step)
        )
        return [entry_from(row) for row in rows]

    async def words(self, head: WordsHead, after: int, limit: int) -> list[Word]:
        row = self._connection.execute(
            "SELECT payload, cuts FROM journal WHERE turn_id = ? AND step = ? AND idx = 0", (head.turn_id, head.step)
        ).fetchone()
        return words_from(row, head, after, limit)

    async def last_answers(self, turn_ids: Sequence[str]) -> dict[str, Entry]:
        marks = ", ".join("?" * len(turn_ids))
        rows = self._connection.execute(
            f"""SELECT {_COLUMNS} FROM journal j WHERE turn_id IN ({marks}) AND idx = 0 AND step = (
                    SELECT max(step) FROM journal WHERE turn_id = j.turn_id AND kind = 'answer')""",
            turn_ids,
        )
        return {row["turn_id"]: entry_from(row) for row in rows}

    async def paid(self, session_id: str, after: tuple[str, int], limit: int) -> list[Entry]:
        rows = self._connection.execute(
            """SELECT j.turn_id, j.step, j.idx, j.kind, j.payload, j.at FROM turns t JOIN journal j ON j.turn_id = t.id
               WHERE t.session_id = ? AND j.kind IN ('answer', 'summary') AND (j.turn_id, j.step) > (?, ?)
               ORDER BY j.turn_id, j.step LIMIT ?""",
            (session_id, *after, limit),
        )
        return [entry_from(row) for row in rows]

    async def count_chain(self, turn_id: str) -> int:
        row = self._connection.execute(
            """WITH RECURSIVE chain (id, parent) AS (
                   SELECT id, parent FROM turns WHERE id = ?
                   UNION ALL
                   SELECT t.id, t.parent FROM turns t JOIN chain c ON t.id = c.parent
               )
               SELECT count(*) FROM chain c JOIN journal j ON j.turn_id = c.id""",
            (turn_id,),
        ).fetchone()
        count: int = row[0]
        return count

    async def of_chain(self, turn_id: str) -> list[Entry]:
        rows = self._connection.execute(
            """WITH RECURSIVE chain (id, parent, depth) AS (
                   SELECT id, parent, 0 FROM turns WHERE id = ?
                   UNION ALL
                   SELECT t.id, t.parent, c.depth + 1 FROM turns t JOIN chain c ON t.id = c.parent
               )
               SELECT j.turn_id, j.step, j.idx, j.kind, j.payload, j.at FROM chain c JOIN journal j ON j.turn_id = c.id
               ORDER BY c.depth DESC, j.step, j.idx""",
            (turn_id,),
        )
        return [entry_from(row) for row in rows]

    async def of_chain_after(self, turn_id: str, known: Collection[str], limit: int) -> Chain:
        marks = ", ".join("?" * len(known))
        rows = self._connection.execute(_CHAIN_AFTER.format(known=marks), (turn_id, *known, limit, turn_id))
        return chain_from(rows.fetchall())

    def _of_kind(self, kind: str, turn_ids: Sequence[str]) -> list[Entry]:
        marks = ", ".join("?" * len(turn_ids))
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM journal WHERE turn_id IN ({marks}) AND kind = ? ORDER BY turn_id, step, idx",
            (*turn_ids, kind),
        )
        return [entry_from(row) for row in rows]
