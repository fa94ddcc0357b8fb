"""Rows of turns and of the inbox, and the joined rows of lanes."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any

import orjson

from wakeful.model.inbox import InboxRow, RowKind, RowStatus
from wakeful.model.lane import Lane
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.rows.row import DOOR_AND_ADDRESS, Row, Values, address_from, decode_rows, door_from, values_getter
from wakeful.store.rows.sessions import session_from

_STATUS_NOT_UNDERSTOOD = orjson.dumps(
    {"code": "status_not_understood", "message": "This version of Wakeful does not know what became of this turn."}
)
# Without `number` and `context_turn`, which the INSERT computes from the parent's.
TURN_COLUMNS = (
    "id",
    "session_id",
    "parent",
    "door",
    "async_delivery",
    "platform",
    "chat_id",
    "thread_id",
    "sender",
    "source",
    "is_wakeup",
    "model",
    "status",
    "node",
    "epoch",
    "last_seq",
    "attempt",
    "workspace",
    "message_id",
    "request",
    "opened_at",
)
INBOX_ROW_COLUMNS = (
    "session_id",
    "dedupe_key",
    "kind",
    "source",
    "turn_id",
    "door",
    "async_delivery",
    "platform",
    "chat_id",
    "thread_id",
    "sender",
    "model",
    "payload",
    "steers",
    "is_urgent",
    "not_before",
    "status",
    "claimed_by",
    "created_at",
)
turn_values: Callable[[Turn], Values] = values_getter(TURN_COLUMNS)
inbox_row_values: Callable[[InboxRow], Values] = values_getter(INBOX_ROW_COLUMNS)


def turn_from(row: Row) -> Turn:
    status, error = _status_and_error(row)
    return Turn(
        id=row["id"],
        session_id=row["session_id"],
        parent=row["parent"],
        door=door_from(row),
        address=address_from(row),
        source=row["source"],
        is_wakeup=bool(row["is_wakeup"]),
        model=row["model"],
        status=status,
        node=row["node"],
        epoch=row["epoch"],
        resumes=row["resumes"],
        last_seq=row["last_seq"],
        reserved=row["reserved"],
        attempt=row["attempt"],
        workspace=row["workspace"],
        message_id=row["message_id"],
        request=row["request"],
        is_hidden=bool(row["is_hidden"]),
        error=error,
        opened_at=row["opened_at"],
        closed_at=row["closed_at"],
        number=row["number"],
        context_turn=row["context_turn"],
    )


def inbox_row_from(row: Row) -> InboxRow:
    return InboxRow(
        id=row["id"],
        session_id=row["session_id"],
        dedupe_key=row["dedupe_key"],
        kind=RowKind(row["kind"]),
        source=row["source"],
        turn_id=row["turn_id"],
        door=door_from(row),
        address=address_from(row),
        model=row["model"],
        payload=row["payload"],
        steers=bool(row["steers"]),
        is_urgent=bool(row["is_urgent"]),
        not_before=row["not_before"],
        status=RowStatus(row["status"]),
        claimed_by=row["claimed_by"],
        created_at=row["created_at"],
    )


# A lane's rows hold the columns of the session as they are, those of its turn and inbox rows with a prefix.
_OF_TURN = (
    *(f.name for f in fields(Turn) if f.name not in ("address", "is_ephemeral", "works_for", "system_prompt")),
    *DOOR_AND_ADDRESS,
)
_OF_ROW = (*(f.name for f in fields(InboxRow) if f.name != "address"), *DOOR_AND_ADDRESS)
LANE_COLUMNS = ", ".join(
    [*(f"t.{name} AS t_{name}" for name in _OF_TURN), *(f"i.{name} AS i_{name}" for name in _OF_ROW)]
)


@dataclass(frozen=True, slots=True)
class _Prefixed:
    """The columns of a joined row that begin with a prefix."""

    row: Row
    prefix: str

    def __getitem__(self, column: str, /) -> Any:
        return self.row[self.prefix + column]


def lane_from(rows: Sequence[Row], promised: Collection[str], now: float) -> Lane:
    """Decode a session's row, joined with its active turn and repeated for each of its inbox rows. An inbox row that is
    not pending is among them because it has the dedupe key that was asked for.
    """
    first = rows[0]
    inbox = decode_rows(inbox_row_from, [_Prefixed(row, "i_") for row in rows if row["i_id"] is not None])
    return Lane(
        session_from(first),
        None if first["t_id"] is None else turn_from(_Prefixed(first, "t_")),
        tuple(row for row in inbox if row.status is RowStatus.PENDING),
        next((row for row in inbox if row.dedupe_key == first["asked_key"]), None),
        frozenset(promised),
        first["spent_at"],
        now,
    )


def packed_error(outcome: Outcome) -> bytes | None:
    return orjson.dumps({"code": outcome.code, "message": outcome.message}) if outcome.code else None


def _status_and_error(row: Row) -> tuple[TurnStatus, bytes | None]:
    """Return a status that this version does not know as a failure: to this version the turn has ended."""
    try:
        return TurnStatus(row["status"]), row["error"]
    except ValueError:
        return TurnStatus.FAILED, _STATUS_NOT_UNDERSTOOD
