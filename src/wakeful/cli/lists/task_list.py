"""The lists of background work that the commands print."""

from typing import Any

from wakeful.cli.client import Client
from wakeful.cli.lists.short_id import only_one, short_id
from wakeful.cli.plain_text import aligned, duration, moment, one_line, seconds_since
from wakeful.errors import TaskNotFound

_COMMAND_LENGTH = 80


async def read_tasks(client: Client, session_id: str = "") -> list[dict[str, Any]]:
    """Return the tasks of one session, or of all, newest first."""
    tasks: list[dict[str, Any]] = (await client.get("/api/tasks", limit=1000, session_id=session_id))["tasks"]
    return tasks


async def find_task(client: Client, name: str) -> str:
    """Return the id of the task that `name` stands for: a whole id, or a unique beginning or end of one."""
    return only_one(name, [task["id"] for task in await read_tasks(client)], TaskNotFound, "task")


def task_lines(tasks: list[dict[str, Any]]) -> list[str]:
    return aligned([[short_id(task["id"]), task["kind"], *_state(task), _command(task)] for task in tasks])


def short_task_lines(tasks: list[dict[str, Any]]) -> list[str]:
    """Return lines for the chat: users there know a task by its command, so the id comes last."""
    rows = aligned([[*_state(task), _command(task)] for task in tasks])
    return [f"{row}  {short_id(task['id'])}" for row, task in zip(rows, tasks, strict=True)]


def elapsed(task: dict[str, Any]) -> float:
    if task["ended_at"] is None:
        return seconds_since(task["started_at"])
    return (moment(task["ended_at"]) - moment(task["started_at"])).total_seconds()


def _state(task: dict[str, Any]) -> list[str]:
    status = task["status"] if task["progress"] is None else f"{task['status']} {task['progress']} %"
    code = "" if task["exit_code"] is None else f"exit code {task['exit_code']}"
    return [status, code, duration(elapsed(task))]


def _command(task: dict[str, Any]) -> str:
    command = one_line(task["command"])
    return command if len(command) <= _COMMAND_LENGTH else f"{command[: _COMMAND_LENGTH - 1]}…"
