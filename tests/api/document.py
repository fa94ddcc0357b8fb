"""Checks every answer that an API test gets against the OpenAPI document."""

import re
from functools import cache
from typing import Any

import jsonschema_rs
import orjson

from wakeful.building.http import document_families
from wakeful.gateway.document.document import build_document

DOCUMENT = build_document("test", document_families())


def judge(method: str, path: str, status: int, headers: Any, body: bytes) -> None:
    """Raise AssertionError if the document does not allow this answer."""
    operation = _operation(method, path)
    if operation is None:
        assert status in (401, 404, 405), f"{method} {path} is not in the document, and was answered with {status}"
        return
    where = f"{operation['operationId']} {status}"
    answer = operation["responses"].get(str(status))
    assert answer is not None, f"{where} is not in the document: {body[:500]!r}"
    missing = [name for name, header in answer["headers"].items() if header.get("required") and name not in headers]
    assert not missing, f"{where} lacks {missing}"
    kind = headers.get("content-type", "").partition(";")[0]
    assert kind in answer.get("content", {"": None}), f"{where} has the content type {kind!r}"
    if kind == "application/json":
        _fit(where, answer["content"][kind]["schema"], orjson.loads(body))
    elif kind == "text/event-stream":
        for data in re.findall(rb"^data: (.*)$", body, re.MULTILINE):
            _fit_event(where, answer["content"][kind]["schema"]["properties"]["data"], data)


def _fit_event(where: str, schema: Any, data: bytes) -> None:
    *ends, content = schema.get("anyOf", [schema])
    if not any(data.decode() == end["const"] for end in ends):
        _fit(where, content["contentSchema"], orjson.loads(data))


def _fit(where: str, schema: Any, value: Any) -> None:
    errors = [error.message for error in _validator(orjson.dumps(schema)).iter_errors(value)]
    assert not errors, f"{where}: {errors} in {str(value)[:1000]}"


@cache
def _validator(schema: bytes) -> Any:
    return jsonschema_rs.validator_for({**orjson.loads(schema), "components": DOCUMENT["components"]})


def _operation(method: str, path: str) -> Any:
    for template, methods in DOCUMENT["paths"].items():
        if re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), path):
            return methods.get("get" if method == "HEAD" else method.lower())
    return None
