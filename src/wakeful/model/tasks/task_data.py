"""A task as clients and events get it: plain values, with times as text."""

from datetime import UTC, datetime
from typing import Any

from wakeful.model.tasks.task import Task


def task_data(task: Task, *, progress: int | None = None) -> dict[str, Any]:
    return {
        "id": task.id,
        "kind": task.kind,
        "session_id": task.session_id,
        "turn_id": task.turn_id,
        "message_id": f"{task.turn_id}.{task.step}.{task.index}",
        "child_session_id": task.child_session_id,
        "command": task.command,
        "status": task.status,
        "exit_code": task.exit_code,
        "started_at": time_text(task.started_at),
        "ended_at": None if task.ended_at is None else time_text(task.ended_at),
        "progress": progress,
        "woke_turn_id": task.woke_turn_id,
        "will_notify": task.has_promise,
        "watched_for": task.watched_for,
    }


def time_text(seconds: float) -> str:
    """Format a time as RFC 3339 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
