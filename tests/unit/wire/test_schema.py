"""The schemas that follow from declared types."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from wakeful.wire.declared import Incoming, Outgoing, Switch, says, words
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
