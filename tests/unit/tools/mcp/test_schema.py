"""What endpoints are sent of the schemas of tools."""

from typing import Any

import pytest

from wakeful.tools.mcp.schema import usable_schema

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
