"""Statements that insert rows."""

import sqlite3
from collections.abc import Sequence

from wakeful.store.rows.row import Values

# SQLite takes 32,766 values in one statement.
_MOST_VALUES = 30_000


def insertion(table: str, columns: Sequence[str]) -> str:
    """Return the beginning of a statement that inserts one row."""
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def insert(
    connection: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[Values],
    *,
    last: Sequence[str] = (),
) -> None:
    """Insert rows in one statement, or in several for thousands. `last` are the expressions that turn a row's last
    values into those of the last columns.
    """
    size = _MOST_VALUES // len(columns)
    marks = f"({', '.join([*['?'] * (len(columns) - len(last)), *last])})"
    for first in range(0, len(rows), size):
        some = rows[first : first + size]
        connection.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([marks] * len(some))}",
            [value for row in some for value in row],
        )
