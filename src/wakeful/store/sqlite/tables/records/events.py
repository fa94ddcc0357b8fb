"""The event log in SQLite. Numbers are assigned inside the only writer's transaction, so they have no gaps."""

import sqlite3
from collections.abc import Callable, Sequence

from wakeful.errors import SessionNotFound
from wakeful.model.event import Event, NewEvent
from wakeful.store.footprint import Footprint
from wakeful.store.numbering import number
from wakeful.store.rows.records import EVENT_COLUMNS, event_values, events_from
from wakeful.store.sqlite.statement import insert

# Joined with the entries that they quote; an answer that several calls quote is read once.
_READ = f"""
    SELECT {", ".join(f"e.{column}" for column in EVENT_COLUMNS)}, j.payload AS entry
    FROM events e LEFT JOIN journal j ON j.turn_id = e.turn_id AND j.step = e.step
        AND j.idx = CASE e.kind WHEN 'tool' THEN 0 ELSE e.idx END
        AND (e.kind <> 'tool' OR e.idx = 1 OR e.{{number}} = ?2 + 1)
    WHERE e.{{of}} = ?1 AND e.{{number}} > ?2 ORDER BY e.{{number}} LIMIT ?3
"""
_OF_TURN = _READ.format(of="turn_id", number="turn_seq")
_OF_SESSION = _READ.format(of="session_id", number="session_seq")


class SqliteEvents:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float], footprint: Footprint) -> None:
        self._connection = connection
        self._clock = clock
        self._footprint = footprint

    async def append(self, session_id: str, turn_id: str | None, events: Sequence[NewEvent]) -> list[Event]:
        self._footprint.require_lock(session_id)
        turn_seq = 0 if turn_id is None else self._last_in_turn(turn_id, len(events))
        now = self._clock()
        row = self._connection.execute(
            "UPDATE sessions SET last_seq = last_seq + ?1, updated_at = ?2 WHERE id = ?3 RETURNING last_seq - ?1",
            (len(events), now, session_id),
        ).fetchone()
        if row is None:
            raise SessionNotFound
        numbered = number(events, session_id, row[0], turn_id, turn_seq, now)
        insert(self._connection, "events", EVENT_COLUMNS, [event_values(event) for event in numbered])
        self._footprint.note_appended(numbered)
        return numbered

    async def of_turn(self, turn_id: str, after: int, limit: int) -> list[Event]:
        return events_from(self._connection.execute(_OF_TURN, (turn_id, after, limit)))

    async def of_session(self, session_id: str, after: int, limit: int) -> list[Event]:
        return events_from(self._connection.execute(_OF_SESSION, (session_id, after, limit)))

    def _last_in_turn(self, turn_id: str, count: int) -> int:
        """Reserve numbers for so many events, and return the last one before them; 0 for a turn that never opened."""
        row = self._connection.execute(
            "UPDATE turns SET last_seq = last_seq + ?1 WHERE id = ?2 RETURNING last_seq - ?1", (count, turn_id)
        ).fetchone()
        return 0 if row is None else row[0]
