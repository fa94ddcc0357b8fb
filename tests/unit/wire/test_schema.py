"""The schemas that follow from declared types."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

import pytest
from msgspec import UNSET, Meta, UnsetType, field

from wakeful.wire.declared import Incoming, Outgoing, Switch, among, says, words
from wakeful.wire.schema import Schemas, parameters


class Part(Outgoing):
    """A piece."""

    kind: Literal["part"] = "part"
    text: str | None
    size: Annotated[int, Meta(ge=0), words("In bytes.")]
    note: str | UnsetType = UNSET


class Ask(Incoming):
    name: Annotated[str, Meta(max_length=9, pattern="^a")]
    mode: Literal["a", "b"] = "a"
    tags: Annotated[dict[Annotated[str, Meta(max_length=4)], str], Meta(max_length=2)] = field(default_factory=dict)


class Look(Incoming):
    id: Annotated[str, words("Which.")]
    limit: Annotated[int, says(clamped=(1, 9))] = 5
    short: Switch = False


def test_an_answer_has_every_field_that_cannot_be_unset() -> None:
    assert Schemas({}).of(Part) == {
        "type": "object",
        "description": "A piece.",
        "properties": {
            "kind": {"type": "string", "const": "part"},
            "text": {"type": ["string", "null"]},
            "size": {"type": "integer", "minimum": 0, "description": "In bytes."},
            "note": {"type": "string"},
        },
        "required": ["kind", "text", "size"],
    }


def test_what_may_be_left_out_of_a_request_may_be_null() -> None:
    assert Schemas({}).of(Ask) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 9, "pattern": "^a"},
            "mode": {"type": ["string", "null"], "enum": ["a", "b", None]},
            "tags": {
                "type": ["object", "null"],
                "maxProperties": 2,
                "propertyNames": {"maxLength": 4},
                "additionalProperties": {"type": "string"},
            },
        },
        "required": ["name"],
    }


def test_a_named_type_is_a_reference_wherever_it_is_used() -> None:
    schemas = Schemas({"Part": Part, "Thing": Part | Ask})

    assert schemas.of(list[Part]) == {"type": "array", "items": {"$ref": "#/components/schemas/Part"}}
    assert schemas.of(Part | Ask | None) == {"anyOf": [{"$ref": "#/components/schemas/Thing"}, {"type": "null"}]}
    assert set(schemas.components()) == {"Part", "Thing"}


class Level(StrEnum):
    LOW = "low"
    HIGH = "high"


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (Any, {}),
        (None, {"type": "null"}),
        (bool, {"type": "boolean"}),
        (Level, {"type": "string", "enum": ["low", "high"]}),
        (Annotated[str, among(("a", "b"))], {"type": "string", "enum": ["a", "b"]}),
        (Literal[3], {"type": "integer", "const": 3}),
        (Annotated[float, Meta(ge=0, le=2)], {"type": "number", "minimum": 0, "maximum": 2}),
        (Annotated[int, Meta(le=2)], {"type": "integer", "maximum": 2}),
        (Annotated[str, Meta(min_length=1)], {"type": "string", "minLength": 1}),
        (
            Annotated[list[int], Meta(min_length=1, max_length=9)],
            {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 9},
        ),
        (dict[str, Any], {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (str | int, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        (Annotated[str, Meta(extra_json_schema={"format": "uri"})], {"type": "string", "format": "uri"}),
    ],
)
def test_a_type_has_its_keywords(kind: Any, schema: dict[str, Any]) -> None:
    assert Schemas({}).of(kind) == schema


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (Any, {}),
        (int, {"type": ["integer", "null"]}),
        (Level, {"type": ["string", "null"], "enum": ["low", "high", None]}),
        (Literal["a"], {"anyOf": [{"type": "string", "const": "a"}, {"type": "null"}]}),
        (
            Annotated[Literal["a"], words("A.")],
            {"anyOf": [{"type": "string", "const": "a"}, {"type": "null"}], "description": "A."},
        ),
        (str | int, {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        (Part, {"anyOf": [{"$ref": "#/components/schemas/Part"}, {"type": "null"}]}),
    ],
)
def test_what_may_be_null_says_so_once(kind: Any, schema: dict[str, Any]) -> None:
    class Given(Incoming):
        value: kind | None = None

    assert Schemas({"Part": Part}).of(kind | None) == schema
    assert Schemas({"Part": Part}).of(Given)["properties"] == {"value": schema}


class Strict(Incoming):
    a: int | None = None
    b: int | None = None

    no_others: ClassVar[str] = "{} is not known."
    more_schema: ClassVar[Mapping[str, Any]] = {"minProperties": 1}


def test_a_request_that_refuses_other_fields_says_so_and_what_else_it_demands() -> None:
    schema = Schemas({}).of(Strict)

    assert (schema["additionalProperties"], schema["minProperties"]) == (False, 1)
    assert schema.keys() == {"type", "properties", "additionalProperties", "minProperties"}


def test_types_are_replaced_wherever_they_are_in_a_document() -> None:
    document = {"one": {"schema": Part}, "many": [{"schema": str}, ("a", 1, 0.5, True, None)]}

    assert Schemas({"Part": Part}).resolved(document) == {
        "one": {"schema": {"$ref": "#/components/schemas/Part"}},
        "many": [{"schema": {"type": "string"}}, ["a", 1, 0.5, True, None]],
    }


def test_a_mention_of_a_named_type_has_words_of_its_own() -> None:
    schemas = Schemas({"Part": Part})

    assert schemas.of(Annotated[Part, words("This one.")]) == {
        "$ref": "#/components/schemas/Part",
        "description": "This one.",
    }
    assert schemas.components()["Part"]["description"] == "A piece."


def test_a_query_is_one_parameter_for_each_field() -> None:
    assert parameters(Look, "query") == [
        {"name": "id", "in": "query", "required": True, "schema": {"type": "string"}, "description": "Which."},
        {
            "name": "limit",
            "in": "query",
            "required": False,
            "schema": {"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 0}]},
            "description": "",
        },
        {
            "name": "short",
            "in": "query",
            "required": False,
            "schema": {"type": "string", "enum": ["", "0", "1", "false", "true"]},
            "description": "",
        },
    ]
