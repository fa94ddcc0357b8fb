"""Words and texts of older versions in SQLite: finds the turns that have some, and moves them."""

import sqlite3

from wakeful.model.event import Event
from wakeful.model.older.texts import LONG_BYTES
from wakeful.model.older.words import LookedAt, Move
from wakeful.store.footprint import Footprint
from wakeful.store.rows.records import packed_end, quoted_position

_NAME = "old words"


class SqliteOldWords:
    def __init__(self, connection: sqlite3.Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def position(self) -> str:
        row = self._connection.execute("SELECT position FROM upkeep WHERE name = ?", (_NAME,)).fetchone()
        return "" if row is None else row[0]

    async def reach(self, position: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO upkeep (name, position) VALUES (?, ?)", (_NAME, position))

    async def turns_after(self, turn_id: str, limit: int) -> list[LookedAt]:
        rows = self._connection.execute(
            """SELECT t.id, t.session_id, t.status <> 'running', EXISTS (
                   SELECT 1 FROM events e WHERE e.turn_id = t.id AND (
                       e.kind IN ('token', 'reasoning') OR e.step IS NULL AND length(e.payload) > ?
                       AND e.kind IN ('message', 'notice', 'tool', 'tool_complete')))
               FROM turns t WHERE t.id > ? ORDER BY t.id LIMIT ?""",
            (LONG_BYTES, turn_id, limit),
        )
        return [LookedAt(row[0], row[1], bool(row[2]), bool(row[3])) for row in rows]

    async def move(self, words: Move) -> None:
        fact, entry = words.fact, words.entry
        self._footprint.require_lock(fact.session_id)
        if entry is not None:
            self._connection.execute(
                """UPDATE journal SET cuts = ?, at = CASE kind WHEN 'cut' THEN ? ELSE at END
                   WHERE turn_id = ? AND step = ? AND idx = ?""",
                (entry.cuts, fact.at, entry.turn_id, entry.step, entry.index),
            )
        self._connection.execute(
            "UPDATE events SET ends = ? WHERE session_id = ? AND session_seq = ?",
            (packed_end(fact.ends), fact.session_id, fact.session_seq),
        )
        self._connection.execute(
            "DELETE FROM events WHERE turn_id = ? AND turn_seq BETWEEN ? AND ?", (fact.turn_id, *words.numbers)
        )

    async def take_text(self, event: Event) -> None:
        self._footprint.require_lock(event.session_id)
        self._connection.execute(
            "UPDATE events SET payload = ?, step = ?, idx = ? WHERE session_id = ? AND session_seq = ?",
            (event.kept, *quoted_position(event), event.session_id, event.session_seq),
        )
