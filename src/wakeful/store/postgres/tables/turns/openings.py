"""Openings in PostgreSQL: a whole group is written with one statement, in one round trip.

All parts of a statement see the rows as they were before it; they see what other parts wrote only through RETURNING.
"""

from collections.abc import Sequence

from wakeful.model.opening import Opened, Opening
from wakeful.store.numbering import number_opening, opened
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import Source
from wakeful.store.rows.api import CONVERSATION_COLUMNS, conversation_values
from wakeful.store.rows.records import ENTRY_COLUMNS, EVENT_COLUMNS, FACT_COLUMNS, entry_values, fact_values
from wakeful.store.rows.row import Values
from wakeful.store.rows.sessions import SESSION_COLUMNS, session_values
from wakeful.store.rows.turns import INBOX_ROW_COLUMNS, TURN_COLUMNS, inbox_row_values, turn_values

_NAMED = Source("c", CONVERSATION_COLUMNS, 1)
_MADE = Source("s", SESSION_COLUMNS, _NAMED.next)
_MOVED = Source("m", ("id", "turn_id", "releases_hold", "title", "count"), _MADE.next)
_POSTED = Source("r", INBOX_ROW_COLUMNS, _MOVED.next)
_CLAIMED = Source("k", ("row_id", "turn_id"), _POSTED.next)
_OPENED = Source("t", TURN_COLUMNS, _CLAIMED.next)
_WRITTEN = Source("e", ENTRY_COLUMNS, _OPENED.next)
_LOGGED = Source("v", ("session_id", "ordinal", "turn_id", "turn_seq", *FACT_COLUMNS), _WRITTEN.next)

# If a session's id or a conversation's name is taken, its session is not in `lane`, and nothing of the opening is
# written.
_OPEN = f"""
    WITH clock AS MATERIALIZED (SELECT wakeful_now() AS at),
    named AS (
        INSERT INTO conversations ({_NAMED.names}) SELECT {_NAMED.values} FROM {_NAMED.rows}, clock
        ON CONFLICT DO NOTHING RETURNING session_id
    ), made AS (
        INSERT INTO sessions ({_MADE.names}) SELECT {_MADE.values} FROM {_MADE.rows}, clock
        WHERE s.id <> ALL($4::text[]) OR s.id IN (SELECT session_id FROM named)
        ON CONFLICT (id) DO NOTHING RETURNING id, 0::bigint AS seq
    ), moved AS (
        UPDATE sessions s SET active = m.turn_id, is_held = s.is_held AND NOT m.releases_hold, wake_at = NULL,
            title = CASE WHEN m.title = '' THEN s.title ELSE m.title END,
            title_origin = CASE WHEN m.title = '' THEN s.title_origin ELSE 'words' END,
            last_seq = s.last_seq + m.count, updated_at = clock.at
        FROM {_MOVED.rows}, clock WHERE s.id = ANY(${_MADE.next}) AND s.id = m.id
        RETURNING s.id, s.last_seq - m.count AS seq
    ), lane AS (
        SELECT id, seq FROM made UNION ALL SELECT id, seq FROM moved
    ), posted AS (
        INSERT INTO inbox ({_POSTED.names}) SELECT {_POSTED.values}
        FROM {_POSTED.rows} JOIN lane ON lane.id = r.session_id, clock
    ), claimed AS (
        UPDATE inbox SET status = 'claimed', claimed_by = k.turn_id
        FROM {_CLAIMED.rows} WHERE inbox.id = ANY(${_POSTED.next}) AND inbox.id = k.row_id AND status = 'pending'
    ), opened AS (
        INSERT INTO turns ({_OPENED.names}, number, context_turn)
        SELECT {_OPENED.values}, 1 + coalesce(p.number, 0), p.context_turn
        FROM {_OPENED.rows} JOIN lane ON lane.id = t.session_id LEFT JOIN turns p ON p.id = t.parent, clock
        RETURNING id
    ), written AS (
        INSERT INTO journal ({_WRITTEN.names}) SELECT {_WRITTEN.values}
        FROM {_WRITTEN.rows} JOIN opened ON opened.id = e.turn_id, clock
    ), logged AS (
        INSERT INTO events ({", ".join(EVENT_COLUMNS)})
        SELECT v.session_id, lane.seq + v.ordinal, v.turn_id, v.turn_seq, clock.at, {_LOGGED.of(FACT_COLUMNS)}
        FROM {_LOGGED.rows} JOIN lane ON lane.id = v.session_id, clock
    )
    SELECT lane.id, lane.seq, clock.at FROM lane, clock
"""


async def open_all(connection: PostgresConnection, openings: Sequence[Opening]) -> dict[str, Opened]:
    """Write openings and return them by session, without those that met a conflict or whose session does not exist.
    They are written in the order of session ids, so that concurrent groups cannot deadlock.
    """
    rows = await connection.fetch(_OPEN, *_arguments(sorted(openings, key=lambda opening: opening.turn.session_id)))
    found = {row["id"]: (row["seq"], row["at"]) for row in rows}
    return {o.turn.session_id: opened(o, *found[o.turn.session_id]) for o in openings if o.turn.session_id in found}


def _arguments(openings: Sequence[Opening]) -> list[list[object]]:
    named = [opening.conversation for opening in openings if opening.conversation is not None]
    made = [session for opening in openings if (session := opening.new_session) is not None]
    old = [opening for opening in openings if opening.session is None]
    return [
        *_NAMED.arguments([conversation_values(conversation) for conversation in named]),
        *_MADE.arguments([session_values(session) for session in made]),
        *_MOVED.arguments([_moved(opening) for opening in old]),
        *_POSTED.arguments([inbox_row_values(row) for opening in openings for row in opening.consumed]),
        *_CLAIMED.arguments([(row_id, opening.turn.id) for opening in old for row_id in opening.claimed]),
        *_OPENED.arguments([turn_values(opening.turn) for opening in openings]),
        *_WRITTEN.arguments([entry_values(entry) for opening in openings for entry in opening.entries]),
        *_LOGGED.arguments([values for opening in openings for values in _logged(opening)]),
    ]


def _moved(opening: Opening) -> Values:
    turn = opening.turn
    return turn.session_id, turn.id, opening.releases_hold, opening.title, opening.count


def _logged(opening: Opening) -> list[Values]:
    """Return the values of its events; their ordinals count from the opening."""
    return [
        (event.session_id, event.session_seq, event.turn_id, event.turn_seq, *fact_values(event))
        for event in number_opening(opening, 0, 0.0)
    ]
