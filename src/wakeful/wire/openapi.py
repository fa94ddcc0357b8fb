"""Builds the operations of an OpenAPI document, as plain dictionaries.

Each family of routes describes its routes and lists the statuses that they answer with. Bodies and answers are given as
declared types: schema.py replaces each type by its schema when the document is built.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wakeful.wire.schema import Json

TEXT: Json = {"type": "string"}
OBJECT: Json = {"type": "object"}


@dataclass(frozen=True, slots=True)
class Family:
    """A group of routes that belong together."""

    name: str
    words: str
    # By path, then by method.
    paths: Mapping[str, Mapping[str, Json]]
    # The types that are listed under components/schemas, by name.
    schemas: Mapping[str, Any] = field(default_factory=dict)


def choice(*values: str) -> Json:
    return {"type": "string", "enum": list(values)}


def path(name: str, words: str) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": TEXT, "description": words}


def json_body(schema: Any, *, required: bool = True) -> Json:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def json_answer(words: str, schema: Any) -> Json:
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def stream_answer(words: str, data: Any, *, ends: str = "") -> Json:
    """Describe a stream by the schema of one event, whose data is JSON of the type `data`.

    `ends` is the data of the last event, where that is not JSON.
    """
    content: Json = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    content = {"anyOf": [{"type": "string", "const": ends}, content]} if ends else content
    event = {"type": "object", "properties": {"data": content, "event": TEXT, "id": TEXT}, "required": ["data"]}
    return {"description": words, "content": {"text/event-stream": {"schema": event}}}


def either(words: str, *answers: Json) -> Json:
    """Return one response with the content types of all of these."""
    content = {kind: media for answer in answers for kind, media in answer["content"].items()}
    return {"description": words, "content": content}


def with_headers(answer: Json, headers: Mapping[str, Json]) -> Json:
    return {**answer, "headers": {**answer.get("headers", {}), **headers}}


def operation(
    name: str,
    summary: str,
    answers: Mapping[int, Json],
    *,
    words: str = "",
    parameters: Sequence[Json] = (),
    body: Json | None = None,
    is_open: bool = False,
) -> Json:
    """`is_open` marks a route that needs no key."""
    made: dict[str, Any] = {"operationId": name, "summary": summary}
    if words:
        made["description"] = words
    if parameters:
        made["parameters"] = list(parameters)
    if body is not None:
        made["requestBody"] = body
    if is_open:
        made["security"] = []
    return made | {"responses": {str(status): answer for status, answer in sorted(answers.items())}}
