"""Closings in PostgreSQL: the last answer, the end, and the session's state afterwards, in one round trip."""

from wakeful.errors import LeaseLost
from wakeful.model.event import Event
from wakeful.model.opening import Closing
from wakeful.model.spend import Spend
from wakeful.store.numbering import number
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import Source
from wakeful.store.postgres.tables.spending import ADD_UP, SPENDING_COLUMNS, TODAY
from wakeful.store.rows.records import ENTRY_COLUMNS, EVENT_COLUMNS, FACT_COLUMNS, entry_values, fact_values
from wakeful.store.rows.spending import shard_of, spend_values
from wakeful.store.rows.turns import INBOX_ROW_COLUMNS, inbox_row_values, packed_error

_WRITTEN = Source("e", ENTRY_COLUMNS, 17)
_POSTED = Source("r", INBOX_ROW_COLUMNS, _WRITTEN.next)
_LOGGED = Source("v", ("ordinal", *FACT_COLUMNS), _POSTED.next)

# `ended` is empty for a turn that has ended or was taken over, and then nothing is written.
_CLOSE = f"""
    WITH clock AS MATERIALIZED (SELECT wakeful_now() AS at),
    ended AS (
        UPDATE turns SET status = $4, error = $5, closed_at = clock.at, epoch = epoch + 1, last_seq = last_seq + $6
        FROM clock WHERE id = $2 AND epoch = $3 AND status NOT IN ('done', 'failed', 'cancelled')
        RETURNING epoch, last_seq - $6 AS turn_seq
    ), settled AS (
        UPDATE sessions s SET active = NULL, head = $2, checkpoint = $7, is_held = $8, is_blocked = $9,
            message_count = s.message_count + $10::bigint + (SELECT count(*) FROM journal WHERE turn_id = $2),
            last_seq = s.last_seq + $6, closed_seq = s.last_seq + $6, updated_at = clock.at,
            input_tokens = s.input_tokens + $11::bigint, output_tokens = s.output_tokens + $12::bigint,
            cost_usd = s.cost_usd + $13::float8, unpriced_tokens = s.unpriced_tokens + $14::bigint,
            context_tokens = CASE WHEN $15 THEN $11::bigint ELSE s.context_tokens END
        FROM clock, ended WHERE s.id = $1
        RETURNING s.last_seq - $6 AS session_seq, s.owner
    ), spent AS (
        INSERT INTO spending ({SPENDING_COLUMNS})
        SELECT {TODAY}, owner, $16, $11::bigint, $12::bigint, $13::float8, $14::bigint FROM settled WHERE $15 {ADD_UP}
    ), written AS (
        INSERT INTO journal ({_WRITTEN.names}) SELECT {_WRITTEN.values} FROM {_WRITTEN.rows}, clock, ended
    ), posted AS (
        INSERT INTO inbox ({_POSTED.names}) SELECT {_POSTED.values} FROM {_POSTED.rows}, clock, ended
    ), logged AS (
        INSERT INTO events ({", ".join(EVENT_COLUMNS)})
        SELECT $1, session_seq + v.ordinal, $2, turn_seq + v.ordinal, clock.at, {_LOGGED.of(FACT_COLUMNS)}
        FROM {_LOGGED.rows}, settled, ended, clock
    )
    SELECT session_seq, turn_seq, clock.at, epoch FROM settled, ended, clock
"""


async def close_turn(connection: PostgresConnection, closing: Closing) -> tuple[list[Event], int]:
    """Close a turn; return its last events and its new epoch. Raises LeaseLost when it has ended or was taken over."""
    turn, outcome, cost = closing.turn, closing.outcome, closing.cost
    row = await connection.fetchrow(
        _CLOSE,
        turn.session_id,
        turn.id,
        turn.epoch,
        outcome.status,
        packed_error(outcome),
        len(closing.facts),
        closing.checkpoint,
        closing.is_held,
        closing.is_blocked,
        len(closing.entries),
        *spend_values(cost or Spend()),
        cost is not None,
        shard_of(turn.session_id),
        *_WRITTEN.arguments([entry_values(entry) for entry in closing.entries]),
        *_POSTED.arguments([inbox_row_values(row) for row in closing.posted]),
        *_LOGGED.arguments([(ordinal, *fact_values(fact)) for ordinal, fact in enumerate(closing.facts, start=1)]),
    )
    if row is None:
        raise LeaseLost
    session_seq, turn_seq, at, epoch = row
    return number(closing.facts, turn.session_id, session_seq, turn.id, turn_seq, at), epoch
