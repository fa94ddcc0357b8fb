"""Rows of nouns as arguments of one statement: an array for each column, which `unnest` makes rows of again."""

from collections.abc import Sequence

from wakeful.store.encode import Values

_TYPES = {
    **dict.fromkeys(("is_listed", "async_delivery", "is_wakeup", "steers", "is_urgent", "releases_hold"), "boolean"),
    **dict.fromkeys(("last_seq", "message_count", "epoch", "count", "place", "turn_seq", "row_id"), "bigint"),
    **dict.fromkeys(("attempt", "step", "idx"), "integer"),
    **dict.fromkeys(("request", "payload", "metadata", "cuts", "ends", "sender"), "bytea"),
    **dict.fromkeys(("created_at", "updated_at", "opened_at", "not_before", "at"), "float8"),
}
# Columns that get the time of the statement where they have none.
_STAMPED = ("created_at", "updated_at", "opened_at", "at")


def insertion(table: str, columns: Sequence[str]) -> str:
    """The beginning of a statement that writes one row."""
    marks = ", ".join(f"${place}" for place in range(1, len(columns) + 1))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"


class Source:
    """A table's rows among the arguments of a statement, from this number of argument on."""

    def __init__(self, name: str, columns: Sequence[str], first: int) -> None:
        self.name = name
        self.columns = columns
        self.next = first + len(columns)
        types = [_TYPES.get(column, "text") for column in columns]
        arrays = ", ".join(f"${first + place}::{kind}[]" for place, kind in enumerate(types))
        # As a row of FROM.
        self.rows = f"unnest({arrays}) AS {name} ({', '.join(columns)})"
        # The columns, and what goes into them: for INSERT and its SELECT. The statement has a `clock`.
        self.names = ", ".join(columns)
        self.values = ", ".join(
            f"coalesce(nullif({name}.{column}, 0), clock.at)" if column in _STAMPED else f"{name}.{column}"
            for column in columns
        )

    def of(self, columns: Sequence[str]) -> str:
        """Some of its columns, as they are."""
        return ", ".join(f"{self.name}.{column}" for column in columns)

    def arguments(self, rows: Sequence[Values]) -> list[list[object]]:
        return [[row[place] for row in rows] for place in range(len(self.columns))]
