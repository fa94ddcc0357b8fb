"""The routes of background work."""

from wakeful.web.tasks.routes import Acknowledged, Acknowledgement, LogQuery, TaskList, TaskLog, TasksQuery
from wakeful.web.tasks.task import ShownTask
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import Family, json_answer, json_body, operation, path
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

_ID = path("task_id", "The id of a task.")
PATHS: dict[str, dict[str, Json]] = {
    "/api/tasks": {
        "get": operation(
            "listTasks",
            "Background work",
            {200: json_answer("The newest.", TaskList), **refusals(400, 404, 503)},
            parameters=parameters(TasksQuery, "query"),
        ),
    },
    "/api/tasks/{task_id}": {
        "get": operation(
            "getTask",
            "One task",
            {200: json_answer("The task.", ShownTask), **refusals(400, 404, 503)},
            parameters=[_ID],
        ),
    },
    "/api/tasks/{task_id}/log": {
        "get": operation(
            "readTaskLog",
            "What it has said, in bytes; looking consumes nothing",
            {200: json_answer("A page of it.", TaskLog), **refusals(400, 404, 503)},
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

FAMILY = Family("Tasks", "Processes and sub-agents in the background.", PATHS, {"Task": ShownTask})
