"""The event log in PostgreSQL. Numbers are given out under the lock of the session's row, so they have no gaps."""

from collections.abc import Sequence

from wakeful.errors import SessionNotFound
from wakeful.model.event import Event, NewEvent
from wakeful.store.decode import event_from
from wakeful.store.encode import EVENT, packed_end
from wakeful.store.footprint import Footprint
from wakeful.store.numbering import number
from wakeful.store.postgres.connection import Connection

_COLUMNS = ", ".join(EVENT)
_SELECT = f"SELECT {_COLUMNS} FROM events"

# All in one round trip. A turn that never opened has no row to count in, and is numbered from 1.
_APPEND = f"""
    WITH of_turn AS (
        UPDATE turns SET last_seq = last_seq + $3 WHERE id = $2 RETURNING last_seq - $3 AS seq
    ), of_session AS (
        UPDATE sessions SET last_seq = last_seq + $3, updated_at = wakeful_now() WHERE id = $1
        RETURNING last_seq - $3 AS session_seq, coalesce((SELECT seq FROM of_turn), 0) AS turn_seq,
                  updated_at AS at
    ), written AS (
        INSERT INTO events ({_COLUMNS})
        SELECT $1, s.session_seq + new.place, $2, CASE WHEN $2 IS NOT NULL THEN s.turn_seq + new.place END,
               new.kind, new.payload, s.at, new.ends
        FROM of_session s,
             unnest($4::text[], $5::bytea[], $6::bytea[]) WITH ORDINALITY AS new (kind, payload, ends, place)
    )
    SELECT session_seq, turn_seq, at FROM of_session
"""


class PostgresEvents:
    def __init__(self, connection: Connection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def append(self, session_id: str, turn_id: str | None, events: Sequence[NewEvent]) -> list[Event]:
        self._footprint.require_lock(session_id)
        kinds, payloads = [event.kind for event in events], [event.payload for event in events]
        ends = [packed_end(event.ends) for event in events]
        before = await self._connection.fetchrow(_APPEND, session_id, turn_id, len(events), kinds, payloads, ends)
        if before is None:
            raise SessionNotFound
        session_seq, turn_seq, at = before
        numbered = number(events, session_id, session_seq, turn_id, turn_seq, at)
        self._footprint.note_appended(numbered)
        return numbered

    async def of_turn(self, turn_id: str, after: int, limit: int) -> list[Event]:
        rows = await self._connection.fetch(
            f"{_SELECT} WHERE turn_id = $1 AND turn_seq > $2 ORDER BY turn_seq LIMIT $3",
            turn_id,
            after,
            limit,
        )
        return [event_from(row) for row in rows]

    async def of_session(self, session_id: str, after: int, limit: int) -> list[Event]:
        rows = await self._connection.fetch(
            f"{_SELECT} WHERE session_id = $1 AND session_seq > $2 ORDER BY session_seq LIMIT $3",
            session_id,
            after,
            limit,
        )
        return [event_from(row) for row in rows]
