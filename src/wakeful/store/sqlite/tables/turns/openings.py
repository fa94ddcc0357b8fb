"""Openings in SQLite: a whole group is written with a handful of statements.

Each statement releases Python's GIL and has to get it back from a busy event loop. With a few statements per group,
whatever its size, a hundred new sessions do not wait for one another.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from wakeful.errors import SessionNotFound
from wakeful.model.inbox import InboxRow
from wakeful.model.opening import Opened, Opening
from wakeful.store.numbering import opened
from wakeful.store.rows.api import CONVERSATION_COLUMNS, conversation_values
from wakeful.store.rows.records import ENTRY_COLUMNS, EVENT_COLUMNS, entry_values, event_values
from wakeful.store.rows.row import Values
from wakeful.store.rows.sessions import SESSION_COLUMNS, session_values
from wakeful.store.rows.turns import INBOX_ROW_COLUMNS, TURN_COLUMNS, inbox_row_values, turn_values
from wakeful.store.sqlite.statement import insert

# From the parent's row.
_NUMBER = "1 + coalesce((SELECT number FROM turns WHERE id = ?), 0)"
_CONTEXT_TURN = "(SELECT context_turn FROM turns WHERE id = ?)"


def open_all(connection: sqlite3.Connection, now: float, openings: Sequence[Opening]) -> list[Opened]:
    """Write all openings. Raises sqlite3.IntegrityError, with some of them written, when a new session's id or the name
    of its conversation is taken.
    """
    _make_sessions(connection, now, openings)
    written = [opened(opening, _activate(connection, now, opening), now) for opening in openings]
    _consume(connection, now, openings)
    turns = [(*turn_values(one.turn), one.turn.parent, one.turn.parent) for one in written]
    insert(connection, "turns", (*TURN_COLUMNS, "number", "context_turn"), turns, last=(_NUMBER, _CONTEXT_TURN))
    entries = [replace(entry, at=now) for opening in openings for entry in opening.entries]
    insert(connection, "journal", ENTRY_COLUMNS, [entry_values(entry) for entry in entries])
    events = [event_values(event) for one in written for event in one.events]
    insert(connection, "events", EVENT_COLUMNS, events)
    return written


def stamped(row: InboxRow, now: float) -> Values:
    return inbox_row_values(replace(row, created_at=row.created_at or now))


def _make_sessions(connection: sqlite3.Connection, now: float, openings: Sequence[Opening]) -> None:
    made = [replace(new, created_at=new.created_at or now, updated_at=now) for o in openings if (new := o.new_session)]
    insert(connection, "sessions", SESSION_COLUMNS, [session_values(session) for session in made])
    named = [replace(one.conversation, created_at=now) for one in openings if one.conversation is not None]
    insert(connection, "conversations", CONVERSATION_COLUMNS, [conversation_values(one) for one in named])


def _activate(connection: sqlite3.Connection, now: float, opening: Opening) -> int:
    """Make the turn the session's active one, and return the last number of the session's log before this."""
    if opening.session is not None:
        return 0
    turn, count = opening.turn, opening.count
    row = connection.execute(
        """UPDATE sessions SET active = ?1, is_held = is_held AND NOT ?2, wake_at = NULL,
               title = CASE WHEN ?3 = '' THEN title ELSE ?3 END,
               title_origin = CASE WHEN ?3 = '' THEN title_origin ELSE 'words' END,
               last_seq = last_seq + ?4, updated_at = ?5
           WHERE id = ?6 RETURNING last_seq""",
        (turn.id, opening.releases_hold, opening.title, count, now, turn.session_id),
    ).fetchone()
    if row is None:
        raise SessionNotFound
    last: int = row[0]
    return last - count


def _consume(connection: sqlite3.Connection, now: float, openings: Sequence[Opening]) -> None:
    insert(
        connection, "inbox", INBOX_ROW_COLUMNS, [stamped(row, now) for opening in openings for row in opening.consumed]
    )
    for opening in openings:
        if opening.claimed:
            connection.execute(
                f"""UPDATE inbox SET status = 'claimed', claimed_by = ?
                    WHERE id IN ({", ".join("?" * len(opening.claimed))}) AND status = 'pending'""",
                (opening.turn.id, *opening.claimed),
            )
