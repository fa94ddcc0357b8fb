"""The event log in SQLite. Numbers are given out inside the one writer's transaction, so they have no gaps."""

import sqlite3
from collections.abc import Callable, Sequence

from wakeful.errors import SessionNotFound
from wakeful.model.event import Event, NewEvent
from wakeful.store.decode import event_from, packed_end
from wakeful.store.footprint import Footprint

_COLUMNS = "session_id, session_seq, turn_id, turn_seq, kind, payload, at, ends"


class SqliteEvents:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float], footprint: Footprint) -> None:
        self._connection = connection
        self._clock = clock
        self._footprint = footprint

    async def append(self, session_id: str, turn_id: str | None, events: Sequence[NewEvent]) -> list[Event]:
        self._footprint.require_lock(session_id)
        turn_seq = None if turn_id is None else self._next_in_turn(turn_id, len(events))
        return self._insert(session_id, turn_id, turn_seq, events)

    async def of_turn(self, turn_id: str, after: int, limit: int) -> list[Event]:
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM events WHERE turn_id = ? AND turn_seq > ? ORDER BY turn_seq LIMIT ?",
            (turn_id, after, limit),
        )
        return [event_from(row) for row in rows]

    async def of_session(self, session_id: str, after: int, limit: int) -> list[Event]:
        rows = self._connection.execute(
            f"""SELECT {_COLUMNS} FROM events WHERE session_id = ? AND session_seq > ?
                ORDER BY session_seq LIMIT ?""",
            (session_id, after, limit),
        )
        return [event_from(row) for row in rows]

    def _next_in_turn(self, turn_id: str, count: int) -> int:
        row = self._connection.execute(
            "UPDATE turns SET last_seq = last_seq + ? WHERE id = ? RETURNING last_seq", (count, turn_id)
        ).fetchone()
        return 1 if row is None else row[0] - count + 1

    def _insert(
        self, session_id: str, turn_id: str | None, turn_seq: int | None, events: Sequence[NewEvent]
    ) -> list[Event]:
        now = self._clock()
        row = self._connection.execute(
            "UPDATE sessions SET last_seq = last_seq + ?, updated_at = ? WHERE id = ? RETURNING last_seq",
            (len(events), now, session_id),
        ).fetchone()
        if row is None:
            raise SessionNotFound
        first = row[0] - len(events) + 1
        numbered = [
            Event(
                session_id,
                first + offset,
                turn_id,
                None if turn_seq is None else turn_seq + offset,
                event.kind,
                event.payload,
                now,
                event.ends,
            )
            for offset, event in enumerate(events)
        ]
        self._connection.executemany(
            f"INSERT INTO events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (e.session_id, e.session_seq, e.turn_id, e.turn_seq, e.kind, e.payload, e.at, packed_end(e.ends))
                for e in numbered
            ],
        )
        self._footprint.note_appended(numbered)
        return numbered
