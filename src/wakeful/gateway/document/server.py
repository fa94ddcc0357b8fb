"""The routes of the server itself."""

from wakeful.gateway.document import logins
from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import (
    FLAG,
    OBJECT,
    TEXT,
    Family,
    Json,
    any_of,
    choice,
    json_answer,
    list_of,
    only,
    operation,
    or_null,
    record,
    told,
    whole,
)
from wakeful.wire.refusals import refusals

_SECONDS = {"type": "number", "minimum": 0}
_STATE = {
    "version": TEXT,
    "problems": told("What is wrong, in sentences.", list_of(TEXT)),
    "database": record(
        {
            "reachable": FLAG,
            "seconds_since_success": told("Since it last did something.", or_null(_SECONDS)),
            "queue": told("Writes that wait or are under way.", whole(0)),
            "oldest_waiting_seconds": told(
                "How long the row has waited that could have opened a turn before all others.", or_null(_SECONDS)
            ),
        }
    ),
    "disk": record({"free_bytes": or_null(whole(0)), "full": FLAG}),
    "lease": told(
        "The lease of this server on its turns; null where the database is its own.",
        or_null(record({"seconds_left": _SECONDS, "late": FLAG})),
    ),
}
_WORKS = record({"status": choice("ok", "degraded"), **_STATE})
_WITHOUT_DATABASE = record({"status": only("degraded"), **_STATE})
_STOPPING = record({"status": only("stopping"), "version": TEXT})


def _page(kind: str, words: str) -> Json:
    return {"description": words, "content": {kind: {"schema": TEXT}}}


PATHS: dict[str, dict[str, Json]] = {
    "/health": {
        "get": operation(
            "getHealth",
            "Whether the server works",
            {
                200: json_answer("It does, perhaps not well.", _WORKS),
                503: json_answer(
                    "It is about to stop, or its database does not answer.", any_of(_STOPPING, _WITHOUT_DATABASE)
                ),
            },
            is_open=True,
        ),
    },
    "/metrics": {
        "get": operation(
            "getMetrics",
            "Numbers for Prometheus",
            {200: _page("text/plain", "Since the start of the server."), **refusals()},
        ),
    },
    "/openapi.json": {
        "get": operation("getDocument", "This document", {200: json_answer("OpenAPI 3.1.", OBJECT)}, is_open=True),
    },
    "/docs": {
        "get": operation("getPage", "This document, to be read", {200: _page("text/html", "A page.")}, is_open=True),
    },
    "/docs/style.css": {
        "get": operation("getStyle", "How that page looks", {200: _page("text/css", "A style sheet.")}, is_open=True),
    },
}

FAMILIES = (
    logins.FAMILY,
    Family("Server", "Health, numbers and this document.", PATHS, {"Problem": Problem}),
)
