"""Renders a JSON schema as HTML: the type of a value in few words, and an object's fields as a list."""

import re
from html import escape
from typing import Any

from wakeful.wire.schema import Json

_CODE = re.compile(r"`([^`]+)`")
_WORDS = {"string": "text", "integer": "whole number", "boolean": "true or false", "array": "list"}
_LIMITS = {
    "minimum": "from {}",
    "maximum": "to {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "maxProperties": "at most {} fields",
    "pattern": "like {}",
}


def prose(words: str) -> str:
    """Render a description as a paragraph, with text between backticks as code."""
    marked = _CODE.sub(r"<code>\1</code>", escape(words))
    return f"<p>{marked}</p>" if words else ""


def schema_html(schema: Json) -> str:
    return _kind(schema) + _fields(schema)


def _kind(schema: Json) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " <i>or</i> ".join(schema_html(one) for one in schema["anyOf"])
    if "const" in schema:
        return _code(schema["const"])
    if "enum" in schema:
        return " <i>or</i> ".join(map(_code, schema["enum"]))
    if "contentSchema" in schema:
        return f"JSON text of {schema_html(schema['contentSchema'])}"
    if "items" in schema:
        return f"list of {schema_html(schema['items']) or 'anything'}{_limits(schema)}"
    values = schema.get("additionalProperties")
    of_values = f" of {schema_html(values)}" if isinstance(values, dict) and values else ""
    return _type_words(schema.get("type", "anything")) + of_values + _limits(schema)


def _type_words(given: Any) -> str:
    kinds = given if isinstance(given, list) else [given]
    return " or ".join(_WORDS.get(kind, str(kind)) for kind in kinds)


def _limits(schema: Json) -> str:
    limits = [words.format(escape(str(schema[name]))) for name, words in _LIMITS.items() if name in schema]
    return f" <small>{', '.join(limits)}</small>" if limits else ""


def _fields(schema: Json) -> str:
    fields = schema.get("properties", {})
    if not fields:
        return ""
    needed = schema.get("required", [])
    return f"<dl>{''.join(_field(name, field, name in needed) for name, field in fields.items())}</dl>"


def _field(name: str, schema: Json, is_needed: bool) -> str:
    mark = "" if is_needed else " <small>may be left out</small>"
    words = prose(schema.get("description", ""))
    return f"<dt><code>{escape(name)}</code>{mark}</dt><dd>{schema_html(schema)}{words}</dd>"


def _code(value: Any) -> str:
    return f"<code>{escape('null' if value is None else str(value))}</code>"
