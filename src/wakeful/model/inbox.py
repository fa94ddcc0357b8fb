"""The inbox: everything that the agent has yet to read. Exactly one turn consumes a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from wakeful.model.session import Address
from wakeful.model.turn import COMPACTION, Door


class RowKind(StrEnum):
    MESSAGE = "message"
    NOTICE = "notice"
    # Retries a wake-up that failed for a passing reason; the notice's text is already in the context.
    RETRY = "retry"
    # Something that the agent has to know when it is next asked: it comes with the next message and opens no turn.
    REMARK = "remark"


# The source of remarks about files that were put back as they were before the agent changed them.
UNDO = "undo"


class RowStatus(StrEnum):
    PENDING = "pending"
    CLAIMED = "claimed"
    WITHDRAWN = "withdrawn"


# The sources of messages that a program sends, not a person: schedules and hooks.
UNASKED_SOURCES = frozenset({"cron", "webhook"})

TRANSITIONS: dict[RowStatus, frozenset[RowStatus]] = {
    RowStatus.PENDING: frozenset({RowStatus.CLAIMED, RowStatus.WITHDRAWN}),
    RowStatus.CLAIMED: frozenset(),
    RowStatus.WITHDRAWN: frozenset(),
}


class IfBusy(StrEnum):
    """What a message does when its session is busy."""

    QUEUE = "queue"
    STEER = "steer"
    INTERRUPT = "interrupt"
    REJECT = "reject"


# `request` is None, so that the turn fails as a request that is not understood.
_UNREADABLE: dict[str, Any] = {"text": "[What was written here cannot be read.]", "attempt": 0, "request": None}


@dataclass(frozen=True, slots=True)
class InboxRow:
    id: int
    session_id: str
    dedupe_key: str
    kind: RowKind
    source: str
    # The id that its turn will have, returned to the client when the row is accepted.
    turn_id: str
    door: Door
    address: Address
    model: str
    payload: bytes
    steers: bool = False
    # An interrupting message goes ahead of the queue.
    is_urgent: bool = False
    # A retry waits until then. So does a notice, unless another row opens a turn before.
    not_before: float = 0.0
    status: RowStatus = RowStatus.PENDING
    claimed_by: str | None = None
    created_at: float = 0.0

    def is_due(self, now: float) -> bool:
        """Whether its time has come. A row from the future is due: the clock was set back, perhaps by hours."""
        return self.not_before <= now or self.created_at > now

    @property
    def is_asked(self) -> bool:
        """Whether a person waits for the answer: to a message, or to a schedule that was run by hand."""
        is_written = self.source not in UNASKED_SOURCES or bool(self.data.get("by_hand"))
        return self.kind is RowKind.MESSAGE and is_written

    @property
    def data(self) -> dict[str, Any]:
        """The decoded payload. One that cannot be read is replaced by data that open a turn which fails and says why:
        otherwise the rows behind it would wait for ever.
        """
        try:
            decoded = orjson.loads(self.payload)
        except ValueError:
            return _UNREADABLE
        return decoded if isinstance(decoded, dict) and _is_readable(self.kind, decoded) else _UNREADABLE


@dataclass(frozen=True, slots=True)
class Batch:
    """The rows that open one turn: notices first, then remarks and the message, if there is one."""

    notices: tuple[InboxRow, ...]
    message: InboxRow | None

    @property
    def rows(self) -> tuple[InboxRow, ...]:
        return self.notices if self.message is None else (*self.notices, self.message)

    @property
    def first(self) -> InboxRow:
        """The row that gives the turn its id, door and model."""
        return self.message or self.notices[0]

    @property
    def is_wakeup(self) -> bool:
        return self.message is None


def next_batch(pending: Sequence[InboxRow], now: float, *, notices_wait: bool) -> Batch | None:
    """Return what the next turn of an idle session consumes; `pending` is in the order of arrival.

    A retry joins any message of its address even before its time: that turn's context holds the notice.
    """
    # Steering messages that came too late for the last turn are still about it: they go ahead of the queue.
    messages = sorted(_messages(pending), key=lambda row: (not row.is_urgent, not row.steers))
    message = messages[0] if messages else None
    notices = [row for row in pending if row.kind in (RowKind.NOTICE, RowKind.RETRY)]
    if message is not None:
        riding = [row for row in notices if row.address == message.address and message.door.async_delivery]
        # A summary is no answer to anybody: remarks wait for one.
        remarks = [] if message.source == COMPACTION else _remarks(pending)
        return Batch((*riding, *remarks), message)
    due = [row for row in notices if row.is_due(now)]
    if not due or notices_wait:
        return None
    going = [row for row in notices if row.kind is RowKind.NOTICE or row.is_due(now)]
    return Batch(tuple(row for row in going if row.address == due[0].address), None)


def joining_rows(pending: Sequence[InboxRow], door: Door, address: Address) -> list[InboxRow]:
    """Return what a running turn takes between two steps: notices of its address, if its door can deliver later, and
    steering messages.
    """
    notices = [row for row in pending if row.kind is RowKind.NOTICE and door.async_delivery and row.address == address]
    steering = [row for row in _messages(pending) if row.steers]
    return notices + (_remarks(pending) if steering else []) + steering


def _is_readable(kind: RowKind, data: dict[str, Any]) -> bool:
    if kind is RowKind.RETRY:
        return isinstance(data.get("attempt"), int)
    inputs = data.get("inputs") or [data]
    return isinstance(inputs, list) and all(
        isinstance(given, dict) and isinstance(given.get("text"), str) for given in inputs
    )


def _remarks(pending: Sequence[InboxRow]) -> list[InboxRow]:
    return [row for row in pending if row.kind is RowKind.REMARK]


def _messages(pending: Sequence[InboxRow]) -> list[InboxRow]:
    return [row for row in pending if row.kind is RowKind.MESSAGE]
