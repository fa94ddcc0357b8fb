"""Makes of a tool's schema what endpoints take: they refuse a whole request for one tool that they do not like."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import orjson

_LARGEST = 64 * 1024
# Endpoints take these inside of a schema, but not at its top.
_CHOICES = ("anyOf", "oneOf")
_REFUSED = (*_CHOICES, "allOf", "enum", "not", "$ref")
# So many alternatives and parts of the top are looked at: they may refer to each other without an end.
_MOST_PARTS = 100
# The names of properties that Anthropic takes.
_SAFE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


def usable_schema(schema: Any) -> Mapping[str, Any] | None:
    """Return a schema whose type is object and that has properties; None if it cannot be made one, or is large. It may
    allow more than the server does, which checks the arguments itself.
    """
    if not isinstance(schema, Mapping) or not _is_small(schema):
        return None
    top: dict[str, Any] = {"type": "object", "properties": {}} | _flat(schema, schema, set())
    properties, required = top["properties"], top.get("required", [])
    if top["type"] != "object" or not isinstance(properties, Mapping):
        return None
    if not all(isinstance(one, Mapping | bool) for one in properties.values()):
        return None
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return None
    usable: dict[str, Any] = _without_dangling(top, schema)
    return usable


def renamed_properties(schema: Mapping[str, Any]) -> dict[str, str]:
    """Return the names that the server has for properties whose names an endpoint refuses, by those that models get."""
    # Lists that older versions have kept may have schemas without properties.
    return {_safe(name): name for name in schema.get("properties", {}) if not _SAFE.fullmatch(name)}


def with_properties_renamed(schema: Mapping[str, Any], renamed: Mapping[str, str]) -> Mapping[str, Any]:
    if not renamed:
        return schema
    safe = {name: new for new, name in renamed.items()}
    properties = {safe.get(name, name): value for name, value in schema["properties"].items()}
    required = {"required": [safe.get(name, name) for name in schema["required"]]} if "required" in schema else {}
    return {**schema, "properties": properties, **required}


def _safe(name: str) -> str:
    """The digits tell names apart that differ only in what is replaced or cut."""
    return f"{_UNSAFE.sub('_', name)[:57]}_{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:6]}"


def _is_small(schema: Mapping[str, Any]) -> bool:
    try:
        return len(orjson.dumps(schema)) <= _LARGEST
    except (orjson.JSONEncodeError, RecursionError):
        return False


def _flat(schema: Mapping[str, Any], root: Mapping[str, Any], seen: set[int]) -> dict[str, Any]:
    """Return the schema with the properties of all its parts. Required is what all of its alternatives require."""

    def flattened(parts: list[Any]) -> list[dict[str, Any]]:
        return [_flat(part, root, seen) for part in parts if isinstance(part, Mapping) and _is_new(part, seen)]

    flat = {name: value for name, value in schema.items() if name not in _REFUSED}
    for part in flattened([_target(schema.get("$ref"), root), *_list(schema.get("allOf"))]):
        _add(flat, part)
    for choice in _CHOICES:
        if options := flattened(_list(schema.get(choice))):
            _add(flat, _common(options))
    return flat


def _is_new(part: Mapping[str, Any], seen: set[int]) -> bool:
    is_new = id(part) not in seen and len(seen) < _MOST_PARTS
    seen.add(id(part))
    return is_new


def _common(options: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one schema for all alternatives."""
    merged: dict[str, Any] = {}
    for option in options:
        _add(merged, option)
    needed = [_list(option.get("required")) for option in options]
    merged["required"] = [name for name in merged["required"] if all(name in names for names in needed)]
    return merged


def _add(schema: dict[str, Any], part: Mapping[str, Any]) -> None:
    schema["properties"] = {**_mapping(part.get("properties")), **_mapping(schema.get("properties"))}
    required = [*_list(schema.get("required")), *_list(part.get("required"))]
    schema["required"] = list(dict.fromkeys(name for name in required if isinstance(name, str)))


def _without_dangling(value: Any, root: Mapping[str, Any]) -> Any:
    """Return the value without references that lead nowhere, or to another document."""
    if isinstance(value, Mapping):
        return {
            name: _without_dangling(inner, root)
            for name, inner in value.items()
            if name != "$ref" or not isinstance(inner, str) or _target(inner, root) is not None
        }
    return [_without_dangling(inner, root) for inner in value] if isinstance(value, list) else value


def _target(reference: Any, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Any = root
    for step in reference[1:].split("/")[1:]:
        found = _mapping(found).get(step.replace("~1", "/").replace("~0", "~"))
    return found if isinstance(found, Mapping) and (reference == "#" or reference[1] == "/") else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
