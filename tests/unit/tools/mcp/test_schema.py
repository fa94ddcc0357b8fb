"""What endpoints are sent of the schemas of tools."""

import re
from typing import Any

import orjson
import pytest

from wakeful.tools.mcp.schema import renamed_properties, usable_schema, with_properties_renamed

TEXT = {"type": "string"}


def test_a_schema_that_endpoints_take_stays_as_it_is() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#/$defs/Tree"}}}
    schema = {**tree, "required": ["child"], "$defs": {"Tree": tree}, "additionalProperties": False}

    assert usable_schema(schema) == schema


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": {}}])
def test_an_object_always_has_its_type_and_properties(schema: dict[str, Any]) -> None:
    assert usable_schema(schema) == {"type": "object", "properties": {}}


@pytest.mark.parametrize("choice", ["anyOf", "oneOf"])
def test_alternatives_at_the_top_become_one_object_that_requires_what_all_require(choice: str) -> None:
    options = [
        {"properties": {"id": TEXT, "by": TEXT}, "required": ["id", "by"]},
        {"properties": {"name": TEXT}, "required": ["name", "by"]},
    ]

    assert usable_schema({"type": "object", choice: options}) == {
        "type": "object",
        "properties": {"id": TEXT, "by": TEXT, "name": TEXT},
        "required": ["by"],
    }


def test_parts_and_a_reference_at_the_top_are_put_together() -> None:
    defs = {"Named": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}}
    schema = {"$ref": "#/$defs/Named", "allOf": [{"properties": {"id": TEXT}, "required": ["id"]}], "$defs": defs}

    assert usable_schema(schema) == {
        "type": "object",
        "properties": {"name": TEXT, "id": TEXT},
        "required": ["name", "id"],
        "$defs": defs,
    }


def test_schemas_that_refer_to_each_other_without_an_end_cost_little() -> None:
    chain = {f"D{number}": {"$ref": f"#/$defs/D{number + 1}"} for number in range(1_000)}
    schema = {"properties": {"a": TEXT}, "anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/D0"}] * 500, "$defs": chain}

    usable = usable_schema(schema)

    assert usable is not None
    assert usable["properties"] == {"a": TEXT}


@pytest.mark.parametrize("reference", ["#/$defs/Nobody", "https://example.org/x.json", "other.json#/a", "#name"])
def test_a_reference_that_leads_nowhere_is_left_out(reference: str) -> None:
    schema = usable_schema({"type": "object", "properties": {"a": {"$ref": reference, "description": "b"}}})

    assert schema == {"type": "object", "properties": {"a": {"description": "b"}}}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"type": "array"},
        {"type": ["object", "null"]},
        {"properties": 5},
        {"properties": {"a": "text"}},
        {"required": "a"},
        {"required": ["a", 5]},
        {"properties": {"a": {"description": "x" * 70_000}}},
    ],
)
def test_what_no_endpoint_takes_is_refused(schema: Any) -> None:
    assert usable_schema(schema) is None


def test_a_schema_that_cannot_be_written_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(2_000):
        deep = {"properties": {"a": deep}}

    assert usable_schema(deep) is None
    assert usable_schema({"properties": {"a": {"default": object()}}}) is None


def test_a_schema_of_64_kibibytes_is_taken_and_a_larger_one_is_not() -> None:
    def described(length: int) -> dict[str, Any]:
        return {"properties": {"a": {"description": "x" * length}}}

    most = 64 * 1024 - len(orjson.dumps(described(0)))

    assert usable_schema(described(most)) == {"type": "object", **described(most)}
    assert usable_schema(described(most + 1)) is None


@pytest.mark.parametrize("kind", ["enum", "not"])
def test_what_endpoints_refuse_at_the_top_is_left_out_there_alone(kind: str) -> None:
    inner = {"a": {kind: ["x"]}}

    assert usable_schema({kind: ["x"], "properties": inner}) == {"type": "object", "properties": inner}


def test_a_property_keeps_what_the_schema_itself_says_of_it() -> None:
    schema = usable_schema({"properties": {"a": TEXT}, "allOf": [{"properties": {"a": {"type": "number"}, "b": TEXT}}]})

    assert schema is not None
    assert schema["properties"] == {"a": TEXT, "b": TEXT}


def test_a_reference_is_followed_through_names_with_slashes_and_tildes() -> None:
    schema = usable_schema({"$ref": "#/$defs/a~1b~0c", "$defs": {"a/b~c": {"properties": {"d": TEXT}}}})

    assert schema is not None
    assert schema["properties"] == {"d": TEXT}


def test_properties_are_renamed_for_endpoints_and_back_for_the_server() -> None:
    schema = {"properties": {"a b": TEXT, "c": TEXT, "d" * 64: TEXT, "e" * 65: TEXT}, "required": ["c", "a b"]}
    renamed = renamed_properties(schema)
    first, second = renamed

    assert renamed == {first: "a b", second: "e" * 65}
    assert re.fullmatch(r"a_b_[0-9a-f]{6}", first)
    assert re.fullmatch(r"e{57}_[0-9a-f]{6}", second)
    assert with_properties_renamed(schema, renamed) == {
        "properties": {first: TEXT, "c": TEXT, "d" * 64: TEXT, second: TEXT},
        "required": ["c", first],
    }
    assert "required" not in with_properties_renamed({"properties": {"a b": TEXT}}, renamed)
    assert with_properties_renamed(schema, {}) is schema
