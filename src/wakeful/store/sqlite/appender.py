"""What streams into the log in SQLite: the appends of a whole group with a handful of statements.

Each statement gives up Python's lock and has to win it back from a busy event loop. A few statements a group,
whatever its size, keep a hundred streams from waiting for one another.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from wakeful.errors import LeaseLost
from wakeful.model.event import Event, NewEvent
from wakeful.model.turn import Lease

# Older versions of SQLite take no more than 999 values in one statement.
_MOST_ROWS = 128


@dataclass(frozen=True, slots=True)
class Append:
    lease: Lease
    events: Sequence[NewEvent]


def append_all(connection: sqlite3.Connection, now: float, appends: Sequence[Append]) -> list[list[Event] | LeaseLost]:
    """Number and write the events of each append in turn; one whose lease is lost writes nothing."""
    turns = _running_turns(connection, appends)
    sessions = _last_numbers(connection, appends)
    results: list[list[Event] | LeaseLost] = []
    for append in appends:
        lease = append.lease
        epoch, turn_seq = turns.get(lease.turn_id, (None, 0))
        if epoch != lease.epoch:
            results.append(LeaseLost())
            continue
        session_seq = sessions[lease.session_id]
        turns[lease.turn_id] = (epoch, turn_seq + len(append.events))
        sessions[lease.session_id] = session_seq + len(append.events)
        results.append(_numbered(append, session_seq, turn_seq, now))
    written = [event for result in results if isinstance(result, list) for event in result]
    if written:
        _write(connection, written, now)
    return results


def _running_turns(connection: sqlite3.Connection, appends: Sequence[Append]) -> dict[str, tuple[int, int]]:
    """Epoch and newest number of each turn that runs. One row, because every row gives up the lock once more."""
    (found,) = connection.execute(
        """SELECT json_group_array(json_array(id, epoch, last_seq)) FROM turns
           WHERE status = 'running' AND id IN (SELECT value FROM json_each(?))""",
        (_json([append.lease.turn_id for append in appends]),),
    ).fetchone()
    return {turn_id: (epoch, last_seq) for turn_id, epoch, last_seq in orjson.loads(found)}


def _last_numbers(connection: sqlite3.Connection, appends: Sequence[Append]) -> dict[str, int]:
    (found,) = connection.execute(
        """SELECT json_group_array(json_array(id, last_seq)) FROM sessions
           WHERE id IN (SELECT value FROM json_each(?))""",
        (_json([append.lease.session_id for append in appends]),),
    ).fetchone()
    return dict(orjson.loads(found))


def _numbered(append: Append, session_seq: int, turn_seq: int, now: float) -> list[Event]:
    lease = append.lease
    return [
        Event(
            lease.session_id,
            session_seq + offset,
            lease.turn_id,
            turn_seq + offset,
            event.kind,
            event.payload,
            now,
        )
        for offset, event in enumerate(append.events, start=1)
    ]


def _write(connection: sqlite3.Connection, events: list[Event], now: float) -> None:
    _insert(connection, events)
    # The last event of each is the one that counts: later ones overwrite earlier ones.
    connection.execute(
        """UPDATE turns SET last_seq = new.value FROM json_each(?) AS new WHERE turns.id = new.key""",
        (_json({event.turn_id: event.turn_seq for event in events}),),
    )
    connection.execute(
        """UPDATE sessions SET last_seq = new.value, updated_at = ? FROM json_each(?) AS new
           WHERE sessions.id = new.key""",
        (now, _json({event.session_id: event.session_seq for event in events})),
    )


def _insert(connection: sqlite3.Connection, events: list[Event]) -> None:
    """As few statements as there are bits in the number of rows, so that all of them stay prepared."""
    rows = [(e.session_id, e.session_seq, e.turn_id, e.turn_seq, e.kind, e.payload, e.at) for e in events]
    while rows:
        size = min(1 << (len(rows).bit_length() - 1), _MOST_ROWS)
        chunk, rows = rows[:size], rows[size:]
        connection.execute(
            f"""INSERT INTO events (session_id, session_seq, turn_id, turn_seq, kind, payload, at)
                VALUES {", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * size)}""",
            [value for row in chunk for value in row],
        )


def _json(value: object) -> str:
    return orjson.dumps(value).decode()
