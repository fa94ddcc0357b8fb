"""The document as a whole: no operation keeps quiet about how it may refuse, and no schema is named in vain."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from wakeful.building.http import document_families
from wakeful.gateway.document.document import build_document
from wakeful.gateway.document.entrance import with_entrance
from wakeful.gateway.document.page import render_page
from wakeful.gateway.document.schema_text import schema_html
from wakeful.wire.error_types import ApiProblem, Problem

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


def test_what_needs_no_key_says_so_and_the_routes_of_the_page_take_a_cookie(document: dict[str, Any]) -> None:
    security = {
        (method, path): each.get("security")
        for path, methods in document["paths"].items()
        for method, each in methods.items()
    }

    open_paths = sorted(path for (_, path), needed in security.items() if needed == [])
    assert open_paths == [
        "/api/login",
        "/api/logout",
        "/docs",
        "/docs/style.css",
        "/health",
        "/hooks/{name}",
        "/openapi.json",
    ]
    assert document["security"] == [{"key": []}]
    others = {path: needed for (_, path), needed in security.items() if path not in open_paths}
    assert {path for path, needed in others.items() if needed == [{"key": []}, {"cookie": []}]} == {
        path for path in others if path.startswith("/api/")
    }


@pytest.mark.parametrize(
    ("method", "path", "statuses", "problem"),
    [
        ("get", "/health", ["200"], None),
        ("get", "/v1/x", ["200", "421"], ApiProblem),
        ("post", "/v1/x", ["200", "421"], ApiProblem),
        ("get", "/api/x", ["200", "421"], Problem),
        ("post", "/api/x", ["200", "403", "421"], Problem),
    ],
)
def test_the_entrance_may_refuse_before_a_route_is_asked(
    method: str, path: str, statuses: list[str], problem: type | None
) -> None:
    made = with_entrance(method, path, {"responses": {"200": {}}})

    assert list(made["responses"]) == statuses
    if problem is not None:
        assert made["responses"]["421"]["content"]["application/json"]["schema"] is problem
    own = {"responses": {"421": {"description": "mine"}}, "security": []}
    assert with_entrance(method, "/api/x", own)["security"] == []
    assert with_entrance(method, "/api/x", own)["responses"]["421"] == {"description": "mine"}


@pytest.mark.parametrize(
    ("schema", "html"),
    [
        ({"$ref": "#/components/schemas/A"}, '<a href="#A">A</a>'),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text <i>or</i> null"),
        ({"const": None}, "<code>null</code>"),
        ({"enum": ["a", "<b>"]}, "<code>a</code> <i>or</i> <code>&lt;b&gt;</code>"),
        ({"type": "string", "contentSchema": {"type": "object"}}, "JSON text of object"),
        (
            {"items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
            "list of whole number <small>at least 1, at most 2</small>",
        ),
        ({"items": {}}, "list of anything"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "object of text"),
        ({"type": "object", "additionalProperties": True}, "object"),
        ({"type": ["string", "null"], "maxLength": 5}, "text or null <small>at most 5 characters</small>"),
        ({"type": "number", "minimum": 0, "maximum": 2}, "number <small>from 0, to 2</small>"),
        ({"type": "string", "pattern": "<"}, "text <small>like &lt;</small>"),
        ({}, "anything"),
    ],
)
def test_a_schema_is_told_in_few_words(schema: Any, html: str) -> None:
    assert schema_html(schema) == html


def test_the_fields_of_an_object_are_listed_with_those_that_may_be_left_out() -> None:
    fields = {"a": {"type": "string", "description": "Like `this`."}, "b": {"type": "boolean"}}

    assert schema_html({"type": "object", "properties": fields, "required": ["a"]}) == (
        "object<dl><dt><code>a</code></dt><dd>text<p>Like <code>this</code>.</p></dd>"
        "<dt><code>b</code> <small>may be left out</small></dt><dd>true or false</dd></dl>"
    )
    assert "may be left out" in schema_html({"type": "object", "properties": {"a": {}}})


def test_the_page_shows_each_operation_in_its_section() -> None:
    operation = {
        "operationId": "getIt",
        "summary": "Get <it>",
        "tags": ["Some Things"],
        "parameters": [{"name": "id", "in": "query", "schema": {"type": "string"}, "description": "Which."}],
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
        "responses": {
            "200": {
                "description": "All.",
                "headers": {"x-request-id": {}, "retry-after": {}},
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            "204": {"description": "", "headers": {"x-request-id": {}}},
        },
    }
    page = render_page(
        {
            "info": {"title": "W", "version": "1", "description": "Words."},
            "tags": [{"name": "Some Things", "description": "About."}, {"name": "Others", "description": ""}],
            "paths": {"/it": {"get": operation}},
            "components": {"schemas": {"A": {"type": "string", "description": "An A."}}},
        }
    )

    things, others = page.partition('<section id="others">')[::2]
    for part in (
        '<a href="#some-things">Some Things</a>',
        '<section id="some-things"><h2>Some Things</h2><p>About.</p><details id="getIt">',
        '<b class="get">GET</b> <code>/it</code> <span>Get &lt;it&gt;</span>',
        "<h3>Parameters</h3><dl><dt><code>id</code> <small>in the query</small></dt><dd>text<p>Which.</p></dd></dl>",
        '<h3>Body</h3><div class="media"><small>application/json</small> object</div>',
        "<dt><code>200</code> <small>with <code>retry-after</code></small></dt><dd><p>All.</p>"
        '<div class="media"><small>text/event-stream</small> of events, each text</div></dd>',
        "<dt><code>204</code></dt><dd></dd>",
    ):
        assert part in things
    assert "getIt" not in others
    assert '<article id="A"><h3>A</h3><p>An A.</p>text</article>' in others


def test_an_operation_without_parameters_and_body_shows_neither(document: dict[str, Any]) -> None:
    page = render_page(document)
    health = page.partition('<details id="getHealth">')[2].partition("</details>")[0]

    assert "<h3>Answers</h3>" in health
    assert "<h3>Parameters</h3>" not in health
    assert "<h3>Body</h3>" not in health


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
