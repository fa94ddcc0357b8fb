"""The routes of runs."""

from collections.abc import Mapping

from wakeful.gateway.openai.document import common
from wakeful.gateway.openai.document.refusals import refusals
from wakeful.gateway.openai.run_request import RunApproval, RunBody
from wakeful.model.approval import Choice
from wakeful.wire.openapi import (
    FLAG,
    TEXT,
    Family,
    Json,
    any_of,
    choice,
    header,
    json_answer,
    json_body,
    list_of,
    only,
    operation,
    or_empty,
    or_null,
    path,
    query,
    record,
    ref,
    stream_answer,
    text,
    told,
    whole,
    with_headers,
)

_ID = path("run_id", "`run_…`")
_CURSOR = or_empty(text(pattern=r"^[0-9]{1,15}(\.[0-9]{1,15}\.[0-9]{1,15})?$"))
_CHOICE = choice(*(known.value for known in Choice))
_SECONDS: Json = {"type": "number", "minimum": 0}

_FIELDS: Mapping[str, Json] = {
    "run_id": TEXT,
    "status": choice("queued", "running", "completed", "failed", "cancelled"),
    "output": told("The text so far.", TEXT),
    "usage": or_null(ref("Usage")),
    "error": or_null(record({"code": TEXT, "message": TEXT})),
    "incomplete_details": or_null(record({"reason": TEXT})),
}
_CALL = {"step": whole(1), "call_id": TEXT, "tool": TEXT}
# By name, what each holds beside its name, its number, its time and the run's id.
_EVENTS: Mapping[str, Mapping[str, Json]] = {
    "message.delta": {"step": whole(1), "delta": TEXT},
    "step.abandoned": {"step": whole(1)},
    "tool.started": {**_CALL, "arguments": TEXT},
    "tool.completed": {**_CALL, "result": TEXT, "is_error": FLAG, "duration": _SECONDS},
    "approval.required": {
        "call_id": TEXT,
        "command": TEXT,
        "reason": TEXT,
        "expires_at": TEXT,
        "choices": list_of(_CHOICE),
    },
    **{f"run.{end}": _FIELDS for end in ("completed", "failed", "cancelled")},
}


def _event(name: str, fields: Mapping[str, Json]) -> Json:
    head = {"event": only(name), "run_id": TEXT, "sequence_number": whole(0), "timestamp": _SECONDS}
    return record({**head, **fields})


def _answer(words: str, schema: Json) -> Json:
    return with_headers(json_answer(words, schema), common.SESSION_HEADER)


_RUN = _answer("The run as it stands.", ref("Run"))
_FOLLOWED = with_headers(stream_answer("Its events, live to the end.", ref("RunEvent")), common.SESSION_HEADER)

PATHS: dict[str, dict[str, Json]] = {
    "/v1/runs": {
        "post": operation(
            "createRun",
            "Start a run",
            {
                202: _answer("It has begun.", record({"run_id": TEXT, "status": only("running")})),
                **refusals(400, 404, 409, 413),
            },
            parameters=common.SESSION_PARAMETERS,
            body=json_body(RunBody),
        ),
    },
    "/v1/runs/{run_id}": {
        "get": operation("getRun", "See a run", {200: _RUN, **refusals(404)}, parameters=[_ID]),
    },
    "/v1/runs/{run_id}/events": {
        "get": operation(
            "followRun",
            "Follow a run",
            {200: _FOLLOWED, **refusals(400, 404)},
            words="Any number of readers, each from where it likes.",
            parameters=[
                _ID,
                query("after", _CURSOR, "Only the events after the one with this id, or with this number."),
                header("Last-Event-ID", _CURSOR, "The same; it wins over `after`."),
            ],
        ),
    },
    "/v1/runs/{run_id}/stop": {
        "post": operation("stopRun", "Stop a run", {200: _RUN, **refusals(404)}, parameters=[_ID]),
    },
    "/v1/runs/{run_id}/approval": {
        "post": operation(
            "answerRun",
            "Answer a run that asks whether it may",
            {
                200: _answer("It is answered.", record({"run_id": TEXT, "call_id": TEXT, "choice": _CHOICE})),
                **refusals(400, 403, 404, 409, 413),
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
    {"Run": record(_FIELDS), "RunEvent": any_of(*(_event(name, fields) for name, fields in _EVENTS.items()))},
)
