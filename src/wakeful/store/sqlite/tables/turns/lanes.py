"""Reads a lane in SQLite, in one statement."""

import sqlite3

import orjson

from wakeful.model.lane import Lane
from wakeful.store.rows.turns import LANE_COLUMNS, lane_from

# Wake-ups from the future do not count: the clock was set back.
_LANE = f"""
    SELECT s.*, {LANE_COLUMNS}, ?2 AS asked_key,
           (SELECT opened_at FROM turns WHERE session_id = s.id AND opened_at > ?3 AND opened_at <= ?5
            AND is_wakeup
            ORDER BY opened_at DESC LIMIT 1 OFFSET ?4) AS spent_at,
           (SELECT json_group_array(id) FROM tasks WHERE session_id = s.id AND status = 'running' AND will_notify
            AND NOT kill_intended) AS promised
    FROM sessions s
    LEFT JOIN turns t ON t.id = s.active
    LEFT JOIN (
        SELECT * FROM inbox WHERE session_id = ?1 AND status = 'pending'
        UNION ALL
        SELECT * FROM inbox WHERE session_id = ?1 AND dedupe_key = ?2 AND status <> 'pending'
    ) i ON TRUE
    WHERE s.id = ?1 ORDER BY i.id
"""
_HOUR = 3600.0


def read_lane(connection: sqlite3.Connection, session_id: str, key: str, wake_budget: int, now: float) -> Lane | None:
    rows = connection.execute(_LANE, (session_id, key, now - _HOUR, wake_budget - 1, now)).fetchall()
    return lane_from(rows, orjson.loads(rows[0]["promised"]), now) if rows else None
