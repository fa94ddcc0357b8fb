"""Closings in SQLite: the last answer, the end, and the session's state afterwards."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from wakeful.errors import LeaseLost
from wakeful.model.event import Event
from wakeful.model.opening import Closing
from wakeful.model.spend import Spend
from wakeful.store.numbering import number
from wakeful.store.rows.records import ENTRY_COLUMNS, EVENT_COLUMNS, entry_values, event_values
from wakeful.store.rows.spending import spend_values
from wakeful.store.rows.turns import INBOX_ROW_COLUMNS, packed_error
from wakeful.store.sqlite.statement import insert
from wakeful.store.sqlite.tables.spending import add_to_day
from wakeful.store.sqlite.tables.turns.openings import stamped


def close_turn(connection: sqlite3.Connection, now: float, closing: Closing) -> tuple[list[Event], int]:
    """Close a turn; return its last events and its new epoch. Raises LeaseLost when it has ended or was taken over."""
    turn_seq, epoch = _end(connection, now, closing)
    entries = [replace(entry, at=now) for entry in closing.entries]
    # Before the session's update, which counts them.
    insert(connection, "journal", ENTRY_COLUMNS, [entry_values(entry) for entry in entries])
    turn = closing.turn
    facts = number(closing.facts, turn.session_id, _settle(connection, now, closing), turn.id, turn_seq, now)
    insert(connection, "events", EVENT_COLUMNS, [event_values(event) for event in facts])
    insert(connection, "inbox", INBOX_ROW_COLUMNS, [stamped(row, now) for row in closing.posted])
    return facts, epoch


def _end(connection: sqlite3.Connection, now: float, closing: Closing) -> Sequence[int]:
    """End the turn, and return the last number of its log before this and its new epoch."""
    outcome, count = closing.outcome, len(closing.facts)
    row: Sequence[int] | None = connection.execute(
        """UPDATE turns SET status = ?1, error = ?2, closed_at = ?3, epoch = epoch + 1, last_seq = last_seq + ?4
           WHERE id = ?5 AND epoch = ?6 AND status NOT IN ('done', 'failed', 'cancelled')
           RETURNING last_seq - ?4, epoch""",
        (outcome.status, packed_error(outcome), now, count, closing.turn.id, closing.turn.epoch),
    ).fetchone()
    if row is None:
        raise LeaseLost
    return row


def _settle(connection: sqlite3.Connection, now: float, closing: Closing) -> int:
    """Update the session, and return the last number of its log before this."""
    turn, cost, count = closing.turn, closing.cost, len(closing.facts)
    row: Sequence[int] = connection.execute(
        """UPDATE sessions SET active = NULL, head = ?1, checkpoint = ?2, is_held = ?3, is_blocked = ?4,
               message_count = message_count + (SELECT count(*) FROM journal WHERE turn_id = ?1),
               last_seq = last_seq + ?5, closed_seq = last_seq + ?5, updated_at = ?6,
               input_tokens = input_tokens + ?7, output_tokens = output_tokens + ?8, cost_usd = cost_usd + ?9,
               unpriced_tokens = unpriced_tokens + ?10, context_tokens = CASE WHEN ?11 THEN ?7 ELSE context_tokens END
           WHERE id = ?12 RETURNING last_seq - ?5""",
        (
            turn.id,
            closing.checkpoint,
            closing.is_held,
            closing.is_blocked,
            count,
            now,
            *spend_values(cost or Spend()),
            cost is not None,
            turn.session_id,
        ),
    ).fetchone()
    if cost is not None:
        add_to_day(connection, now, turn.session_id, cost)
    return row[0]
