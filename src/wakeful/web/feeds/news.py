"""News in the form that clients get: tasks that ended or matched, questions and failed turns of any session."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from wakeful.model import event as events
from wakeful.model.event import News
from wakeful.model.tasks.end_words import end_words
from wakeful.model.tasks.task import Task, TaskKind, TaskStatus
from wakeful.model.tasks.task_data import time_text
from wakeful.store.base import Transaction
from wakeful.wire.declared import Outgoing, words

DELEGATION_COMPLETE = "delegation_complete"
APPROVAL_EXPIRED = "approval_expired"
TURN_FAILED = "turn_failed"


class ShownNews(Outgoing):
    """Every kind of news has all fields; those that do not apply are empty."""

    news_id: Annotated[int, Meta(ge=1)]
    event_id: Annotated[int, Meta(ge=1), words("The number of the event in its session.")]
    session_id: str
    title: str
    kind: Literal[
        "process_complete", "delegation_complete", "watch_match", "approval_required", "approval_expired", "turn_failed"
    ]
    task_id: str | None = None
    command: Annotated[str, words("The command of a process, or the goal of a sub-agent.")] = ""
    status: TaskStatus | None = None
    exit_code: int | None = None
    outcome: Annotated[str, words("Words that follow the command in a sentence; for a turn, why it failed.")] = ""
    line: Annotated[str, words("The line that matched, or the last line of the output.")] = ""
    pattern: str | None = None
    wakes: Annotated[bool, words("Whether the agent asked to be woken by it.")] = False
    call_id: Annotated[str | None, words("The call that a question is about.")] = None
    turn_id: Annotated[str | None, words("The turn that failed.")] = None
    code: Annotated[str | None, words("The code of the turn's error.")] = None
    at: str


async def news_fields(tx: Transaction, news: News) -> dict[str, Any]:
    """Return the fields of ShownNews that apply to this news."""
    event, data = news.event, news.event.data
    task_id = data.get("process_id")
    task = None if task_id is None else await tx.tasks.get(task_id)
    return {
        "news_id": news.number,
        "event_id": event.session_seq,
        "session_id": event.session_id,
        "title": news.title,
        **_details(event.kind, data, task),
        "at": time_text(event.at),
    }


def _details(kind: str, data: dict[str, Any], task: Task | None) -> dict[str, Any]:
    match kind:
        case events.PROCESS_COMPLETE:
            return _end(data) | _task_fields(task)
        case events.WATCH_MATCH:
            return _task_fields(task) | _match(data)
        case events.APPROVAL_REQUIRED:
            return {"kind": kind} | _question(data)
        case events.APPROVAL_ANSWERED:
            return {"kind": APPROVAL_EXPIRED, "outcome": "was denied, nobody answered"} | _question(data)
        case _:
            shown = {"turn_id": data["turn_id"], "code": data.get("code"), "outcome": data.get("message", "")}
            return {"kind": TURN_FAILED} | shown


def _question(data: dict[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ("call_id", "task_id", "command")}


def _end(data: dict[str, Any]) -> dict[str, Any]:
    is_delegation = data["kind"] == TaskKind.DELEGATION
    return {
        "kind": DELEGATION_COMPLETE if is_delegation else events.PROCESS_COMPLETE,
        "status": data["status"],
        "exit_code": data["exit_code"],
        "outcome": end_words(data["status"], data["exit_code"], data["kind"]),
        "line": data["summary"],
    }


def _match(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": events.WATCH_MATCH,
        "outcome": f'printed "{data["pattern"]}"',
        "line": data["line"],
        "pattern": data["pattern"],
        "wakes": True,
    }


def _task_fields(task: Task | None) -> dict[str, Any]:
    # A purge may have deleted the task but not yet the event.
    return {} if task is None else {"task_id": task.id, "command": task.command, "wakes": task.will_notify}
