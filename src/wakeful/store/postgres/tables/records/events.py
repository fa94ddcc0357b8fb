"""The event log in PostgreSQL. Numbers are assigned with the session's row locked, so they have no gaps."""

from collections.abc import Sequence

from wakeful.errors import SessionNotFound
from wakeful.model.event import Event, NewEvent
from wakeful.store.footprint import Footprint
from wakeful.store.numbering import number
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import Source
from wakeful.store.rows.records import EVENT_COLUMNS, FACT_COLUMNS, events_from, fact_values

_NEW = Source("new", ("ordinal", *FACT_COLUMNS), 4)

# One round trip. A turn that never opened has no row with a last number, so its events are numbered from 1.
_APPEND = f"""
    WITH of_turn AS (
        UPDATE turns SET last_seq = last_seq + $3 WHERE id = $2 RETURNING last_seq - $3 AS seq
    ), of_session AS (
        UPDATE sessions SET last_seq = last_seq + $3, updated_at = wakeful_now() WHERE id = $1
        RETURNING last_seq - $3 AS session_seq, coalesce((SELECT seq FROM of_turn), 0) AS turn_seq,
                  updated_at AS at
    ), written AS (
        INSERT INTO events ({", ".join(EVENT_COLUMNS)})
        SELECT $1, s.session_seq + new.ordinal, $2, CASE WHEN $2 IS NOT NULL THEN s.turn_seq + new.ordinal END, s.at,
               {_NEW.of(FACT_COLUMNS)}
        FROM of_session s, {_NEW.rows}
    )
    SELECT session_seq, turn_seq, at FROM of_session
"""

# Joined with the entries that they quote; an answer that several calls quote is read once.
_READ = """
    SELECT e.*, j.payload AS entry
    FROM (SELECT * FROM events WHERE {of} = $1 AND {number} > $2 ORDER BY {number} LIMIT $3) e
    LEFT JOIN journal j ON j.turn_id = e.turn_id AND j.step = e.step
        AND j.idx = CASE e.kind WHEN 'tool' THEN 0 ELSE e.idx END
        AND (e.kind <> 'tool' OR e.idx = 1 OR e.{number} = $2 + 1)
    ORDER BY e.{number}
"""
_OF_TURN = _READ.format(of="turn_id", number="turn_seq")
_OF_SESSION = _READ.format(of="session_id", number="session_seq")


class PostgresEvents:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint

    async def append(self, session_id: str, turn_id: str | None, events: Sequence[NewEvent]) -> list[Event]:
        self._footprint.require_lock(session_id)
        new = _NEW.arguments([(ordinal, *fact_values(event)) for ordinal, event in enumerate(events, start=1)])
        before = await self._connection.fetchrow(_APPEND, session_id, turn_id, len(events), *new)
        if before is None:
            raise SessionNotFound
        session_seq, turn_seq, at = before
        numbered = number(events, session_id, session_seq, turn_id, turn_seq, at)
        self._footprint.note_appended(numbered)
        return numbered

    async def of_turn(self, turn_id: str, after: int, limit: int) -> list[Event]:
        return events_from(await self._connection.fetch(_OF_TURN, turn_id, after, limit))

    async def of_session(self, session_id: str, after: int, limit: int) -> list[Event]:
        return events_from(await self._connection.fetch(_OF_SESSION, session_id, after, limit))
