"""Background work in the form that clients get."""

from typing import Annotated

from msgspec import Meta

from wakeful.model.tasks.task import Task, TaskKind, TaskStatus
from wakeful.model.tasks.task_data import task_data
from wakeful.web.web import Web
from wakeful.wire.declared import Outgoing, words


class ShownTask(Outgoing):
    id: str
    kind: TaskKind
    session_id: str
    turn_id: Annotated[str, words("The turn that started it.")]
    message_id: Annotated[str, words("The message of the call that started it.")]
    child_session_id: str | None
    command: str
    status: TaskStatus
    exit_code: int | None
    started_at: str
    ended_at: str | None
    progress: Annotated[int | None, Meta(ge=0, le=100)]
    woke_turn_id: str | None
    will_notify: Annotated[bool, words("Whether its end will notify the agent.")]
    watched_for: Annotated[list[str], words("A line with one of these texts wakes its session while it runs.")]


def shown_task(web: Web, task: Task) -> ShownTask:
    return ShownTask(**task_data(task, progress=web.tasks.progress(task)))


def shown_tasks(web: Web, tasks: list[Task]) -> list[ShownTask]:
    # A task that has ended has no progress.
    return [shown_task(web, task) if task.is_running else ShownTask(**task_data(task)) for task in tasks]
