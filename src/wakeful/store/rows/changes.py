"""Rows of changed files."""

from wakeful.model.journal.change import ChangeState, KeptChange
from wakeful.store.rows.row import Row, Values, values_getter

_OF_CHANGE = (
    "session_id",
    "turn_id",
    "step",
    "idx",
    "call_id",
    "root_session_id",
    "root_turn_id",
    "before",
    "after",
    "undoable",
    "added",
    "removed",
    "written_at",
    "state",
)
CHANGE_COLUMNS = (*_OF_CHANGE, "host", "path", "shown")
_change_values = values_getter(_OF_CHANGE)


def change_values(change: KeptChange) -> Values:
    # Names of files are bytes, and not all of them are UTF-8.
    path, shown = (text.encode(errors="surrogateescape") for text in (change.path, change.shown))
    return *_change_values(change), change.host, path, shown


def change_from(row: Row) -> KeptChange:
    return KeptChange(
        session_id=row["session_id"],
        turn_id=row["turn_id"],
        step=row["step"],
        index=row["idx"],
        call_id=row["call_id"],
        path=row["path"].decode(errors="surrogateescape"),
        shown=row["shown"].decode(errors="surrogateescape"),
        before=row["before"],
        after=row["after"],
        undoable=bool(row["undoable"]),
        added=row["added"],
        removed=row["removed"],
        written_at=row["written_at"],
        host=row["host"],
        root_session_id=row["root_session_id"],
        root_turn_id=row["root_turn_id"],
        state=ChangeState(row["state"]),
    )
