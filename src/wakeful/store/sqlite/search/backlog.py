"""Notes titles and messages from before there was a search index, in SQLite: in steps, newest messages first."""

import sqlite3
from typing import Any

# Keys of the table upkeep, which holds how far each has come; without a row it is done.
_TITLES, _MESSAGES = "search_titles", "search_messages"
# Only sessions that a list can show are searched.
SHOWN = "s.is_listed AND s.task_id IS NULL"


class SearchBacklog:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def note_some(self, limit: int) -> bool:
        """Note up to so many sessions or turns to be indexed; false when none are left."""
        return self._note_titles(limit) or self._note_messages(limit)

    def _note_titles(self, limit: int) -> bool:
        position = self._position(_TITLES)
        if position is None:
            return False
        rows = self._rows("SELECT id FROM sessions WHERE id > ? ORDER BY id LIMIT ?", position, limit)
        last = rows[-1][0] if rows else ""
        self._note(
            f"""SELECT s.id, NULL, NULL, NULL FROM sessions s
                WHERE s.id > ? AND s.id <= ? AND {SHOWN} AND s.title <> ''""",
            position,
            last,
        )
        self._move(_TITLES, last if len(rows) == limit else None)
        return True

    def _note_messages(self, limit: int) -> bool:
        """Note messages from the newest turn back: ids of turns begin with their time."""
        position = self._position(_MESSAGES)
        if position is None:
            return False
        rows = self._rows("SELECT id FROM turns WHERE id < ? ORDER BY id DESC LIMIT ?", position, limit)
        last = rows[-1][0] if rows else position
        self._note(
            f"""SELECT s.id, j.turn_id, j.step, j.idx FROM journal j JOIN turns t ON t.id = j.turn_id
                JOIN sessions s ON s.id = t.session_id
                WHERE j.turn_id < ? AND j.turn_id >= ? AND j.kind <> 'result' AND {SHOWN}
                ORDER BY j.turn_id DESC, j.step DESC, j.idx DESC""",
            position,
            last,
        )
        self._move(_MESSAGES, last if len(rows) == limit else None)
        return True

    def _note(self, found: str, *values: str) -> None:
        """Note documents with ids below all others, because they are older than all that are noted. Known ones stay."""
        (lowest,) = self._rows("SELECT min(id) FROM search_docs")[0]
        docs = self._rows(found, *values)
        first = min(1 if lowest is None else lowest, 1)
        self._connection.executemany(
            "INSERT OR IGNORE INTO search_docs (id, session_id, turn_id, step, idx) VALUES (?, ?, ?, ?, ?)",
            [(first - offset, *doc) for offset, doc in enumerate(docs, start=1)],
        )

    def _position(self, name: str) -> str | None:
        rows = self._rows("SELECT position FROM upkeep WHERE name = ?", name)
        return rows[0][0] if rows else None

    def _move(self, name: str, position: str | None) -> None:
        if position is None:
            self._connection.execute("DELETE FROM upkeep WHERE name = ?", (name,))
        else:
            self._connection.execute("UPDATE upkeep SET position = ? WHERE name = ?", (position, name))

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._connection.execute(query, values).fetchall()
