"""Generates the JSON schemas of declared types for the OpenAPI document."""

from collections.abc import Hashable, Mapping
from typing import Any, Union

import msgspec
from msgspec import Struct

from wakeful.wire.declared import Incoming, Shape, is_struct, shape_of

Json = Mapping[str, Any]

NULL: Json = {"type": "null"}

_TYPES = {bool: "boolean", str: "string", int: "integer", float: "number", list: "array", dict: "object"}
# The keyword of each limit, by type: texts, lists and dictionaries have different keywords for their length.
_LIMITS: Mapping[type, Mapping[str, str]] = {
    str: {"min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"},
    int: {"ge": "minimum", "le": "maximum"},
    float: {"ge": "minimum", "le": "maximum"},
    list: {"min_length": "minItems", "max_length": "maxItems"},
    dict: {"max_length": "maxProperties"},
}
_SWITCH: Json = {"type": "string", "enum": ["", "0", "1", "false", "true"]}
_EMPTY: Json = {"type": "string", "maxLength": 0}


class Schemas:
    def __init__(self, named: Mapping[str, Any]) -> None:
        """`named` are the types listed under components/schemas; the schemas of other types are inlined."""
        self._named = named
        self._names = {_key(shape_of(kind)): name for name, kind in named.items()}

    def of(self, kind: Any) -> Json:
        return self._schema(shape_of(kind))

    def components(self) -> dict[str, Json]:
        return {name: self._described(shape_of(kind)) for name, kind in self._named.items()}

    def resolved(self, document: Any) -> Any:
        """Return the document, or a part of it, with every declared type replaced by its schema."""
        if isinstance(document, Mapping):
            return {key: self.resolved(value) for key, value in document.items()}
        if isinstance(document, list | tuple):
            return [self.resolved(value) for value in document]
        return document if document is None or isinstance(document, str | int | float) else self.of(document)

    def _schema(self, shape: Shape) -> Json:
        name = self._names.get(_key(shape))
        made = self._described(shape) if name is None else {"$ref": f"#/components/schemas/{name}"} | _words(shape)
        return or_null(made) if shape.is_nullable else made

    def _described(self, shape: Shape) -> Json:
        return self._bare(shape) | _words(shape)

    def _bare(self, shape: Shape) -> dict[str, Any]:
        base = shape.base
        if base is Any:
            return {}
        if base in (None, type(None)):
            return dict(NULL)
        if base is Union:
            return {"anyOf": [self.of(member) for member in shape.args]}
        if is_struct(base):
            return self._record(base)
        if shape.choices:
            return _choice(shape.choices)
        return self._plain(shape)

    def _plain(self, shape: Shape) -> dict[str, Any]:
        if shape.says.is_switch:
            return dict(_SWITCH)
        made: dict[str, Any] = {"type": _TYPES[shape.base]}
        for limit, name in _LIMITS.get(shape.base, {}).items():
            if (value := shape.limit(limit)) is not None:
                made[name] = value
        if shape.base is list:
            made["items"] = self.of(shape.args[0])
        if shape.base is dict:
            made |= self._entries(*shape.args)
        return {"anyOf": [made, _EMPTY]} if shape.says.clamped else made

    def _entries(self, key: Any, value: Any) -> dict[str, Any]:
        longest, schema = shape_of(key).limit("max_length"), self.of(value)
        made: dict[str, Any] = {} if longest is None else {"propertyNames": {"maxLength": longest}}
        return made | {"additionalProperties": schema} if schema else made

    def _record(self, kind: type[Struct]) -> dict[str, Any]:
        fields = msgspec.structs.fields(kind)
        is_incoming = issubclass(kind, Incoming)
        made: dict[str, Any] = {"type": "object", "properties": {}}
        needed = []
        for field in fields:
            shape = shape_of(field.type)
            schema = self._schema(shape)
            is_needed = field.required if is_incoming else not shape.may_be_unset
            made["properties"][field.encode_name] = schema if is_needed or not is_incoming else or_null(schema)
            needed += [field.encode_name] if is_needed else []
        made |= {"required": needed} if needed else {}
        made |= {"description": " ".join(kind.__dict__["__doc__"].split())} if kind.__dict__.get("__doc__") else {}
        if issubclass(kind, Incoming):
            made |= {"additionalProperties": False} if kind.no_others else {}
            made |= kind.more_schema
        return made


def parameters(kind: type[Struct], location: str) -> list[Json]:
    """Return one parameter for each field of a query or of headers; `location` says which."""
    schemas = Schemas({})
    made: list[Json] = []
    for field in msgspec.structs.fields(kind):
        schema = dict(schemas.of(field.type))
        words = schema.pop("description", "")
        head = {"name": field.encode_name, "in": location, "required": field.required}
        made.append({**head, "schema": schema, "description": words})
    return made


def or_null(schema: Json) -> Json:
    kind = schema.get("type")
    if not schema or kind == "null" or isinstance(kind, list) or NULL in schema.get("anyOf", ()):
        return schema
    if "enum" in schema and kind is not None:
        return {**schema, "type": [kind, "null"], "enum": [*schema["enum"], None]}
    if kind is not None and "const" not in schema:
        return {**schema, "type": [kind, "null"]}
    words = {key: value for key, value in schema.items() if key == "description"}
    bare = {key: value for key, value in schema.items() if key != "description"}
    return {"anyOf": [*bare.get("anyOf", [bare]), NULL]} | words


def _words(shape: Shape) -> dict[str, Any]:
    description = shape.limit("description")
    made = {} if description is None else {"description": description}
    return made | (shape.limit("extra_json_schema") or {})


def _choice(values: Any) -> dict[str, Any]:
    kind = _TYPES[type(values[0])]
    return {"type": kind, "const": values[0]} if len(values) == 1 else {"type": kind, "enum": list(values)}


def _key(shape: Shape) -> Hashable:
    """Return what a schema's name is looked up by: a class, or the set of classes in a union."""
    return frozenset(shape_of(member).base for member in shape.args) if shape.base is Union else shape.base
