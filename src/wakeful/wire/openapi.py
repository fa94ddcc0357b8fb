"""The operations of an OpenAPI document: plain dictionaries, made by small functions.

Each family of routes says what its routes are for and which statuses they answer with. What is sent and answered stands
there as a declared type: schema.py replaces it by its schema when the document is built.
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
    # The types that the document has under a name of their own.
    schemas: Mapping[str, Any] = field(default_factory=dict)


def choice(*values: str) -> Json:
    return {"type": "string", "enum": list(values)}


def only(value: str) -> Json:
    return {"type": "string", "const": value}


def any_of(*schemas: Json) -> Json:
    return {"anyOf": list(schemas)}


def record(needed: Mapping[str, Json], more: Mapping[str, Json] | None = None, **how: Any) -> Json:
    """An object with these fields, of which `more` may be left out. Others may be there."""
    made: dict[str, Any] = {"type": "object", "properties": {**needed, **(more or {})}, **how}
    return made | {"required": list(needed)} if needed else made


def path(name: str, words: str) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": TEXT, "description": words}


def json_body(schema: Any, *, required: bool = True) -> Json:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def json_answer(words: str, schema: Any) -> Json:
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def stream_answer(words: str, data: Any, *, ends: str = "") -> Json:
    """The schema of a stream is that of one event, with this JSON in it; `ends` is the last event's data, if it has
    one that is no JSON.
    """
    content: Json = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    event = record({"data": any_of(only(ends), content) if ends else content}, {"event": TEXT, "id": TEXT})
    return {"description": words, "content": {"text/event-stream": {"schema": event}}}


def either(words: str, *answers: Json) -> Json:
    """One status with several kinds of content."""
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
    """`is_open`: it needs no key."""
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
