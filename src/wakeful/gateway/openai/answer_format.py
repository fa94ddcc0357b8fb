"""In which form the model is to answer: plain text, any JSON, or JSON after a schema."""

import re
from typing import Any

from wakeful.gateway.openai import body as fields
from wakeful.gateway.openai.body import Body
from wakeful.gateway.openai.errors import invalid

_FORMS = ("text", "json_object", "json_schema")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}", re.ASCII)


def format_of_text(body: Body) -> dict[str, Any] | None:
    """`text.format` of a response, as a chat-completions endpoint takes it; None for plain text. Raises ApiError."""
    text = fields.mapping(body, "text") or {}
    fields.one_of(text, "verbosity", ("low", "medium", "high"), inside="text")
    given = fields.mapping(text, "format", inside="text")
    return None if given is None else _format(given, given, "text.format", "text.format")


def response_format(body: Body) -> dict[str, Any] | None:
    """`response_format` of a chat completion. Raises ApiError."""
    given = fields.mapping(body, "response_format")
    if given is None:
        return None
    schema = fields.mapping(given, "json_schema", inside="response_format") or {}
    return _format(given, schema, "response_format", "response_format.json_schema")


def _format(given: Body, schema: Body, where: str, schema_where: str) -> dict[str, Any] | None:
    """`schema` is the object that holds the schema and its name, at `schema_where`."""
    kind = fields.one_of(given, "type", _FORMS, inside=where)
    if kind is None:
        raise invalid(f"{where}.type", f"{where}.type must be one of {', '.join(_FORMS)}.")
    if kind == "text":
        return None
    if kind == "json_object":
        return {"type": kind}
    return {"type": kind, "json_schema": _schema(schema, schema_where)}


def _schema(given: Body, where: str) -> dict[str, Any]:
    name = given.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise invalid(f"{where}.name", f"{where}.name must be 1 to 64 letters, digits and _ -")
    if fields.mapping(given, "schema", inside=where) is None:
        raise invalid(f"{where}.schema", f"{where}.schema must be a JSON schema.")
    fields.text(given, "description", inside=where)
    fields.flag(given, "strict", False, inside=where)
    kept = ("name", "schema", "strict", "description")
    return {field: given[field] for field in kept if given.get(field) is not None}
