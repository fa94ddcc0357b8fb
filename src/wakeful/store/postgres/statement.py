"""Statements that insert rows. Many rows become an array per column, which `unnest` turns into rows again."""

from collections.abc import Sequence

from wakeful.store.rows.row import Values

_TYPES = {
    **dict.fromkeys(("is_listed", "async_delivery", "is_wakeup", "steers", "is_urgent", "releases_hold"), "boolean"),
    **dict.fromkeys(("last_seq", "message_count", "epoch", "count", "ordinal", "turn_seq", "row_id"), "bigint"),
    **dict.fromkeys(("attempt", "step", "idx"), "integer"),
    **dict.fromkeys(("request", "payload", "metadata", "cuts", "ends", "sender", "todo"), "bytea"),
    **dict.fromkeys(("created_at", "updated_at", "opened_at", "not_before", "at"), "float8"),
}
# Columns that get the time of the statement if they are 0.
_STAMPED = ("created_at", "updated_at", "opened_at", "at")


def insertion(table: str, columns: Sequence[str]) -> str:
    """Return the beginning of a statement that inserts one row."""
    marks = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"


class Source:
    """Rows for a table among the arguments of a statement, from argument number `first` on."""

    def __init__(self, name: str, columns: Sequence[str], first: int) -> None:
        self.name = name
        self.columns = columns
        self.next = first + len(columns)
        types = [_TYPES.get(column, "text") for column in columns]
        arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(types, start=first))
        # The rows, for FROM.
        self.rows = f"unnest({arrays}) AS {name} ({', '.join(columns)})"
        # The columns and their values, for INSERT and its SELECT. The statement has to have a `clock`.
        self.names = ", ".join(columns)
        self.values = ", ".join(
            f"coalesce(nullif({name}.{column}, 0), clock.at)" if column in _STAMPED else f"{name}.{column}"
            for column in columns
        )

    def of(self, columns: Sequence[str]) -> str:
        """Return some of its columns, without times filled in."""
        return ", ".join(f"{self.name}.{column}" for column in columns)

    def arguments(self, rows: Sequence[Values]) -> list[list[object]]:
        return [[row[index] for row in rows] for index in range(len(self.columns))]
