"""Rows of either database as nouns. Both stores name their columns alike, so they share this and no query."""

from typing import Any, Protocol

from wakeful.model.inbox import InboxRow, RowKind, RowStatus
from wakeful.model.journal import Entry, EntryKind
from wakeful.model.session import Address, Session
from wakeful.model.task import Host, Task, TaskKind, TaskStatus
from wakeful.model.turn import Door, Turn, TurnStatus


class Row(Protocol):
    def __getitem__(self, column: str, /) -> Any: ...


def session_from(row: Row) -> Session:
    return Session(
        id=row["id"],
        owner=row["owner"],
        address=_address_from(row),
        model=row["model"],
        workspace=row["workspace"],
        head=row["head"],
        checkpoint=row["checkpoint"],
        active=row["active"],
        last_seq=row["last_seq"],
        is_held=bool(row["is_held"]),
        is_blocked=bool(row["is_blocked"]),
        wake_at=row["wake_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def turn_from(row: Row) -> Turn:
    return Turn(
        id=row["id"],
        session_id=row["session_id"],
        parent=row["parent"],
        door=_door_from(row),
        address=_address_from(row),
        source=row["source"],
        is_wakeup=bool(row["is_wakeup"]),
        model=row["model"],
        status=TurnStatus(row["status"]),
        node=row["node"],
        epoch=row["epoch"],
        resumes=row["resumes"],
        last_seq=row["last_seq"],
        recorded_seq=row["recorded_seq"],
        attempt=row["attempt"],
        workspace=row["workspace"],
        error=row["error"],
        opened_at=row["opened_at"],
        closed_at=row["closed_at"],
    )


def inbox_row_from(row: Row) -> InboxRow:
    return InboxRow(
        id=row["id"],
        session_id=row["session_id"],
        dedupe_key=row["dedupe_key"],
        kind=RowKind(row["kind"]),
        source=row["source"],
        turn_id=row["turn_id"],
        door=_door_from(row),
        address=_address_from(row),
        model=row["model"],
        payload=row["payload"],
        steers=bool(row["steers"]),
        is_urgent=bool(row["is_urgent"]),
        not_before=row["not_before"],
        status=RowStatus(row["status"]),
        claimed_by=row["claimed_by"],
        created_at=row["created_at"],
    )


def entry_from(row: Row) -> Entry:
    return Entry(row["turn_id"], row["step"], row["idx"], EntryKind(row["kind"]), row["payload"])


def task_from(row: Row) -> Task:
    return Task(
        id=row["id"],
        kind=TaskKind(row["kind"]),
        session_id=row["session_id"],
        owner=row["owner"],
        turn_id=row["turn_id"],
        step=row["step"],
        index=row["idx"],
        host=Host(row["host"], row["boot_id"]),
        command=row["command"].decode(),
        door=_door_from(row),
        address=_address_from(row),
        model=row["model"],
        will_notify=bool(row["will_notify"]),
        status=TaskStatus(row["status"]),
        exit_code=row["exit_code"],
        kill_intended=bool(row["kill_intended"]),
        started_at=row["started_at"],
        ended_at=row["ended_at"],
    )


def _door_from(row: Row) -> Door:
    return Door(row["door"], bool(row["async_delivery"]))


def _address_from(row: Row) -> Address:
    return Address(row["platform"], row["chat_id"], row["thread_id"])
