"""Reads a lane in PostgreSQL, in one round trip."""

from wakeful.model.lane import Lane
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.rows.turns import LANE_COLUMNS, lane_from

# Wake-ups from the future do not count: the clock was set back.
# The time is read once: comparing with a volatile function could not use an index.
_LANE = f"""
    WITH clock AS MATERIALIZED (SELECT wakeful_now() AS at)
    SELECT s.*, {LANE_COLUMNS}, $2::text AS asked_key, clock.at AS now,
           (SELECT opened_at FROM turns WHERE session_id = s.id AND opened_at > clock.at - 3600
            AND opened_at <= clock.at
            AND is_wakeup
            ORDER BY opened_at DESC LIMIT 1 OFFSET $3) AS spent_at,
           ARRAY(SELECT id FROM tasks WHERE session_id = s.id AND status = 'running' AND will_notify
                 AND NOT kill_intended) AS promised
    FROM clock CROSS JOIN sessions s
    LEFT JOIN turns t ON t.id = s.active
    LEFT JOIN (
        SELECT * FROM inbox WHERE session_id = $1 AND status = 'pending'
        UNION ALL
        SELECT * FROM inbox WHERE session_id = $1 AND dedupe_key = $2 AND status <> 'pending'
    ) i ON TRUE
    WHERE s.id = $1 ORDER BY i.id
"""


async def read_lane(connection: PostgresConnection, session_id: str, key: str, wake_budget: int) -> Lane | None:
    rows = await connection.fetch(_LANE, session_id, key, wake_budget - 1)
    return lane_from(rows, rows[0]["promised"], rows[0]["now"]) if rows else None
