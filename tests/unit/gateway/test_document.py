"""The document as a whole: no operation keeps quiet about how it may refuse, and no schema is named in vain."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from wakeful.building.http import document_families
from wakeful.gateway.document.document import build_document
from wakeful.gateway.document.page import render_page

# It needs no database.
_WITHOUT_STORE = {"getMetrics"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return build_document("1", document_families())


def test_every_operation_says_how_it_may_refuse(document: dict[str, Any]) -> None:
    operations = [each for methods in document["paths"].values() for each in methods.values()]
    untold = {each["operationId"]: _needed(each) - each["responses"].keys() for each in operations}

    assert {name: statuses for name, statuses in untold.items() if statuses} == {}


def test_in_answers_counts_begin_at_0_and_the_numbers_of_things_at_1(document: dict[str, Any]) -> None:
    least: dict[float, set[str]] = {}
    for name, minimum in _minimums(document, ""):
        least.setdefault(minimum, set()).add(name)

    things = {"event_id", "last_event_id", "news_id", "number", "step"}
    assert least.keys() == {0, 1}
    assert least[1] == things | {"context_window", "max_output", "max_output_tokens"}


def _minimums(part: Any, name: str) -> Iterator[tuple[str, float]]:
    """Yield the names of numbers in answers, and the least that each can be."""
    if isinstance(part, list):
        for each in part:
            yield from _minimums(each, name)
    if not isinstance(part, dict):
        return
    if isinstance(part.get("minimum"), int | float):
        yield name, part["minimum"]
    for key, value in part.items():
        if key not in {"requestBody", "parameters", "headers"} and not key.endswith("Request"):
            yield from _minimums(value, name if key in {"anyOf", "items", "schema"} else key)


def test_on_the_page_every_mention_of_a_schema_is_a_link_to_it(document: dict[str, Any]) -> None:
    page = render_page(document)

    for name in set(re.findall(r"#/components/schemas/(\w+)", str(document))):
        assert f'<a href="#{name}">{name}</a>' in page
        assert f'id="{name}"' in page


def _needed(operation: dict[str, Any]) -> set[str]:
    needed = (
        set()
        if operation.get("security") == []
        else {"401"}
        if operation["operationId"] in _WITHOUT_STORE
        else {"401", "503"}
    )
    if "requestBody" in operation:
        needed |= {"400", "413"}
    if any(given["in"] == "path" for given in operation.get("parameters", ())):
        needed |= {"404"}
    return needed
