"""Describes the routes of the server itself: health, metrics and the OpenAPI document."""

from wakeful.gateway.entrance.logins import document as logins
from wakeful.gateway.hooks import document as hooks
from wakeful.gateway.monitoring.health import Stopping, Unreachable, Working
from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import OBJECT, TEXT, Family, json_answer, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json


def _page(kind: str, words: str) -> Json:
    return {"description": words, "content": {kind: {"schema": TEXT}}}


PATHS: dict[str, dict[str, Json]] = {
    "/health": {
        "get": operation(
            "getHealth",
            "Whether the server works",
            {
                200: json_answer("It does, perhaps with problems.", Working),
                503: json_answer("It is about to stop, or its database does not answer.", Stopping | Unreachable),
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
        "get": operation("getPage", "This document, as a page", {200: _page("text/html", "A page.")}, is_open=True),
    },
    "/docs/style.css": {
        "get": operation(
            "getStyle", "The style sheet of that page", {200: _page("text/css", "A style sheet.")}, is_open=True
        ),
    },
}

SERVER_FAMILIES = (
    logins.FAMILY,
    hooks.FAMILY,
    Family("Server", "Health, numbers and this document.", PATHS, {"Problem": Problem}),
)
