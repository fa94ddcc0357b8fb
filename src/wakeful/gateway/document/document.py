"""Builds the OpenAPI document from the descriptions of all families of routes."""

from collections.abc import Mapping, Sequence
from typing import Any

from wakeful.gateway.document.entrance import KEY, SCHEMES, with_entrance
from wakeful.wire.openapi import TEXT, Family
from wakeful.wire.schema import Json, Schemas

_WORDS = (
    "A self-hosted agent server. The routes under /v1 are for the official OpenAI clients. Every request but those to "
    "/health, /openapi.json, /docs, /api/login and /api/logout needs a key (`wakeful key` prints the local one) or, "
    "under /api, the cookie of a browser that is logged in. Fields that are not named here are ignored; null counts as "
    "left out. The schema of a stream (text/event-stream) is that of one event in it. Every answer has an "
    "`x-request-id`. The page itself, at `/`, and its files are for browsers, and not described here."
)
_REQUEST_ID: Json = {
    "description": "The id of this request: the one that the client sent, if it is fit for a log, or a new one.",
    "required": True,
    "schema": TEXT,
}


def build_document(version: str, families: Sequence[Family]) -> dict[str, Any]:
    schemas = Schemas({name: kind for family in families for name, kind in family.schemas.items()})
    made: dict[str, Any] = schemas.resolved(_document(version, families))
    made["components"]["schemas"] = schemas.components()
    return made


def _document(version: str, families: Sequence[Family]) -> Json:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Wakeful", "version": version, "description": _WORDS},
        "tags": [{"name": family.name, "description": family.words} for family in families],
        "security": KEY,
        "paths": {path: _path(family, path, methods) for family in families for path, methods in family.paths.items()},
        "components": {
            "headers": {"RequestId": _REQUEST_ID},
            "securitySchemes": SCHEMES,
        },
    }


def _path(family: Family, path: str, methods: Mapping[str, Json]) -> dict[str, Any]:
    return {method: _operation(family, with_entrance(method, path, each)) for method, each in methods.items()}


def _operation(family: Family, operation: Json) -> dict[str, Any]:
    answers = {status: _with_request_id(answer) for status, answer in operation["responses"].items()}
    return {**operation, "tags": [family.name], "responses": answers}


def _with_request_id(answer: Json) -> dict[str, Any]:
    header = {"x-request-id": {"$ref": "#/components/headers/RequestId"}}
    return {**answer, "headers": {**answer.get("headers", {}), **header}}
