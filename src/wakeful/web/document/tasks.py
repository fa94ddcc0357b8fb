"""The routes of background work."""

from wakeful.model.task import TaskKind, TaskStatus
from wakeful.web.document import common
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
    or_empty,
    or_null,
    path,
    query,
    record,
    ref,
    text,
    told,
    whole,
)
from wakeful.wire.refusals import refusals

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
_ACK = record({"session_id": common.ID, "process_id": common.ID})
_ACKED = record({"ok": FLAG, "session_id": TEXT, "process_id": TEXT, "noop": FLAG})

PATHS: dict[str, dict[str, Json]] = {
    "/api/tasks": {
        "get": operation(
            "listTasks",
            "Background work",
            {200: json_answer("The newest.", record({"tasks": list_of(ref("Task"))})), **refusals(400, 404, 503)},
            parameters=[
                query("session_id", text(maxLength=200, pattern="^[^\\u0000]*$"), "Only that of one session."),
                query("limit", or_empty(WHOLE), "1 to 1000, 200 where nothing is said."),
            ],
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
            parameters=[_ID, query("offset", or_empty(WHOLE), "From this byte on.")],
        ),
    },
    "/api/tasks/{task_id}/kill": {
        "post": operation(
            "killTask",
            "End it; it wakes nobody",
            {200: json_answer("It ends.", common.OK), **refusals(400, 404, 503)},
            parameters=[_ID],
        ),
    },
    "/api/process-complete-ack": {
        "post": operation(
            "acknowledgeProcess",
            "Changes nothing: delivery needs no acknowledgement",
            {200: json_answer("It is noted.", _ACKED), **refusals(400, 404, 413, 503)},
            body=json_body(_ACK),
        ),
    },
}

FAMILY = Family("Tasks", "Processes and sub-agents in the background.", PATHS, {"Task": _TASK})
