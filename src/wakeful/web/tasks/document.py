"""Describes the routes of tasks."""

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
            "List background work",
            {200: json_answer("The newest tasks.", TaskList), **refusals(400, 404, 503)},
            parameters=parameters(TasksQuery, "query"),
        ),
    },
    "/api/tasks/{task_id}": {
        "get": operation(
            "getTask",
            "Get a task",
            {200: json_answer("The task.", ShownTask), **refusals(400, 404, 503)},
            parameters=[_ID],
        ),
    },
    "/api/tasks/{task_id}/log": {
        "get": operation(
            "readTaskLog",
            "Read a task's output; offsets are in bytes, and the agent still gets all of it",
            {200: json_answer("A page of the output.", TaskLog), **refusals(400, 404, 503)},
            parameters=[_ID, *parameters(LogQuery, "query")],
        ),
    },
    "/api/tasks/{task_id}/kill": {
        "post": operation(
            "killTask",
            "End a task without waking its session",
            {200: json_answer("The task is ending.", Ok), **refusals(400, 404, 503)},
            parameters=[_ID],
        ),
    },
    "/api/process-complete-ack": {
        "post": operation(
            "acknowledgeProcess",
            "Do nothing, for clients that send it: delivery needs no acknowledgement",
            {200: json_answer("Nothing has changed.", Acknowledged), **refusals(400, 404, 413, 503)},
            body=json_body(Acknowledgement),
        ),
    },
}

FAMILY = Family("Tasks", "Processes and sub-agents in the background.", PATHS, {"Task": ShownTask})
