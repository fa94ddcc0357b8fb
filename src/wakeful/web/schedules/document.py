"""Describes the routes of schedules."""

from wakeful.web.schedules.job import ChangedJob, NewJob, ShownJob, ShownRun
from wakeful.web.schedules.routes import FiringTimes, JobList, JobsQuery, NextQuery, RunList, RunsQuery
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import Family, json_answer, json_body, operation, path
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

_ID = path("id", "The id of a job, or the name that you gave to it.")
PATHS: dict[str, dict[str, Json]] = {
    "/api/cron": {
        "get": operation(
            "listCronJobs",
            "List your schedules; the operator sees those of all",
            {200: json_answer("The oldest first.", JobList), **refusals(400, 503)},
            parameters=parameters(JobsQuery, "query"),
        ),
        "post": operation(
            "addCronJob",
            "Schedule a prompt",
            {201: json_answer("The job.", ShownJob), **refusals(400, 403, 413, 503)},
            words="Only the operator may give a target (`deliver`): 403 `not_allowed`.",
            body=json_body(NewJob),
        ),
    },
    "/api/cron/next": {
        "get": operation(
            "listFiringTimes",
            "List when a schedule would fire",
            {200: json_answer("The times.", FiringTimes), **refusals(400, 503)},
            parameters=parameters(NextQuery, "query"),
        ),
    },
    "/api/cron/{id}": {
        "patch": operation(
            "changeCronJob",
            "Change a schedule, pause it or resume it",
            {200: json_answer("The job.", ShownJob), **refusals(400, 403, 404, 413, 503)},
            words="A new schedule counts from now.",
            parameters=[_ID],
            body=json_body(ChangedJob),
        ),
        "delete": operation(
            "removeCronJob",
            "Remove a schedule and its runs; a turn that it has begun goes on",
            {200: json_answer("It is removed.", Ok), **refusals(400, 403, 404, 503)},
            parameters=[_ID],
        ),
    },
    "/api/cron/{id}/run": {
        "post": operation(
            "runCronJob",
            "Fire a schedule now, also while it is paused",
            {200: json_answer("The run.", ShownRun), **refusals(400, 403, 404, 503)},
            parameters=[_ID],
        ),
    },
    "/api/cron/{id}/runs": {
        "get": operation(
            "listCronRuns",
            "List the runs of a schedule",
            {200: json_answer("The newest first.", RunList), **refusals(400, 403, 404, 503)},
            parameters=[_ID, *parameters(RunsQuery, "query")],
        ),
    },
}

FAMILY = Family(
    "Schedules", "Prompts that are said to an agent at set times.", PATHS, {"CronJob": ShownJob, "CronRun": ShownRun}
)
