"""The routes of runs in the OpenAPI document."""

from typing import Any

from wakeful.gateway.openai.document import SESSION_HEADER, SESSION_PARAMETERS, api_refusals
from wakeful.gateway.openai.runs.request import RunApproval, RunBody, RunEventsHeaders, RunEventsQuery
from wakeful.gateway.openai.runs.run import Run, RunAnswered, RunBegun, RunEvent
from wakeful.wire.openapi import Family, json_answer, json_body, operation, path, stream_answer, with_headers
from wakeful.wire.schema import Json, parameters

_ID = path("run_id", "`run_…`")


def _answer(words: str, schema: Any) -> Json:
    return with_headers(json_answer(words, schema), SESSION_HEADER)


_RUN = _answer("The run as it stands.", Run)
_FOLLOWED = with_headers(stream_answer("Its events, live to the end.", RunEvent), SESSION_HEADER)

PATHS: dict[str, dict[str, Json]] = {
    "/v1/runs": {
        "post": operation(
            "createRun",
            "Start a run",
            {
                202: _answer("It has begun.", RunBegun),
                **api_refusals(400, 404, 409, 413),
            },
            parameters=SESSION_PARAMETERS,
            body=json_body(RunBody),
        ),
    },
    "/v1/runs/{run_id}": {
        "get": operation("getRun", "See a run", {200: _RUN, **api_refusals(404)}, parameters=[_ID]),
    },
    "/v1/runs/{run_id}/events": {
        "get": operation(
            "followRun",
            "Follow a run",
            {200: _FOLLOWED, **api_refusals(400, 404)},
            words="Any number of readers may follow, each from any event on.",
            parameters=[
                _ID,
                *parameters(RunEventsQuery, "query"),
                *parameters(RunEventsHeaders, "header"),
            ],
        ),
    },
    "/v1/runs/{run_id}/stop": {
        "post": operation("stopRun", "Stop a run", {200: _RUN, **api_refusals(404)}, parameters=[_ID]),
    },
    "/v1/runs/{run_id}/approval": {
        "post": operation(
            "answerRun",
            "Answer a run that asks for approval",
            {
                200: _answer("It is answered.", RunAnswered),
                **api_refusals(400, 403, 404, 409, 413),
            },
            parameters=[_ID],
            body=json_body(RunApproval),
        ),
    },
}

FAMILY = Family(
    "Runs",
    "Turns that any number of readers follow, and that may ask a person for approval.",
    PATHS,
    {"Run": Run, "RunEvent": RunEvent},
)
