"""Rows of tasks."""

from wakeful.model.inbox import RowStatus
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskStatus
from wakeful.store.rows.row import Row, Values, address_from, door_from, values_getter

_OF_TASK = (
    "id",
    "kind",
    "session_id",
    "owner",
    "turn_id",
    "step",
    "idx",
    "part",
    "host",
    "boot_id",
    "door",
    "async_delivery",
    "platform",
    "chat_id",
    "thread_id",
    "sender",
    "model",
    "will_notify",
    "is_inline",
    "spec",
    "watch",
    "attempt",
    "node",
    "child_session_id",
    "status",
    "started_at",
)
TASK_COLUMNS = (*_OF_TASK, "command")
_task_values = values_getter(_OF_TASK)


def task_values(task: Task) -> Values:
    return *_task_values(task), task.command.encode()


def task_from(row: Row) -> Task:
    """Decode a row of tasks joined with the notice of its end."""
    notice_status = row["notice_status"]
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
        door=door_from(row),
        address=address_from(row),
        model=row["model"],
        will_notify=bool(row["will_notify"]),
        part=row["part"],
        is_inline=bool(row["is_inline"]),
        spec=row["spec"],
        watch=row["watch"],
        attempt=row["attempt"],
        node=row["node"],
        child_session_id=row["child_session_id"],
        status=TaskStatus(row["status"]),
        exit_code=row["exit_code"],
        result=row["result"].decode(),
        kill_intended=bool(row["kill_intended"]),
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        notice_status=None if notice_status is None else RowStatus(notice_status),
        woke_turn_id=row["woke_turn_id"],
    )
