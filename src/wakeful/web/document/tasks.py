"""The routes of background work."""

from wakeful.model.task import TaskKind, TaskStatus
from wakeful.web.tasks import Acknowledged, Acknowledgement, LogQuery, TasksQuery
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import (
    FLAG,
    TEXT,
    WHOLE,
    Family,
    Json,
    choice,
    json_answer,
    json_body,
    list_of,
    operation,
    or_null,
    path,
    record,
    ref,
    told,
    whole,
)
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import parameters

_ID = path("task_id", "The id of a task.")
_TASK = record(
    {
        "id": TEXT,
        "kind": choice(*(kind.value for kind in TaskKind)),
        "session_id": TEXT,
        "turn_id": told("Who started it.", TEXT),
        "child_session_id": or_null(TEXT),
        "command": TEXT,
        "status": choice(*(status.value for status in TaskStatus)),
        "exit_code": or_null(WHOLE),
        "started_at": TEXT,
        "ended_at": or_null(TEXT),
        "progress": or_null(whole(0, 100)),
        "woke_turn_id": or_null(TEXT),
        "will_notify": told("Its end will be told.", FLAG),
        "watched_for": told("Lines with one of these texts wake its session while it runs.", list_of(TEXT)),
    }
)
_LOG = record({"output": TEXT, "offset": whole(0), "next_offset": whole(0), "ended": FLAG})

PATHS: dict[str, dict[str, Json]] = {
    "/api/tasks": {
        "get": operation(
            "listTasks",
            "Background work",
            {200: json_answer("The newest.", record({"tasks": list_of(ref("Task"))})), **refusals(400, 404, 503)},
            parameters=parameters(TasksQuery, "query"),
        ),
    },
    "/api/tasks/{task_id}": {
        "get": operation(
            "getTask",
            "One task",
            {200: json_answer("The task.", ref("Task")), **refusals(400, 404, 503)},
            parameters=[_ID],
        ),
    },
    "/api/tasks/{task_id}/log": {
        "get": operation(
            "readTaskLog",
            "What it has said, in bytes; looking consumes nothing",
            {200: json_answer("A page of it.", _LOG), **refusals(400, 404, 503)},
            parameters=[_ID, *parameters(LogQuery, "query")],
        ),
    },
    "/api/tasks/{task_id}/kill": {
        "post": operation(
            "killTask",
            "End it; it wakes nobody",
            {200: json_answer("It ends.", Ok), **refusals(400, 404, 503)},
            parameters=[_ID],
        ),
    },
    "/api/process-complete-ack": {
        "post": operation(
            "acknowledgeProcess",
            "Changes nothing: delivery needs no acknowledgement",
            {200: json_answer("It is noted.", Acknowledged), **refusals(400, 404, 413, 503)},
            body=json_body(Acknowledgement),
        ),
    },
}

FAMILY = Family("Tasks", "Processes and sub-agents in the background.", PATHS, {"Task": _TASK})
