"""Operations of the document, as their families describe them."""

from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import (
    choice,
    either,
    json_answer,
    json_body,
    operation,
    path,
    stream_answer,
    with_headers,
)
from wakeful.wire.refusals import refusals

_TEXT = {"type": "string"}


def test_an_operation_says_all_that_was_told_of_it() -> None:
    where, body = path("id", "Which."), json_body(str)
    found, gone = json_answer("It is this.", str), json_answer("It is gone.", str)

    made = operation(
        "getThing", "Get it", {404: gone, 200: found}, words="Or not.", parameters=(where,), body=body, is_open=True
    )

    assert made == {
        "operationId": "getThing",
        "summary": "Get it",
        "description": "Or not.",
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": _TEXT, "description": "Which."}],
        "requestBody": {"required": True, "content": {"application/json": {"schema": str}}},
        "security": [],
        "responses": {"200": found, "404": gone},
    }
    assert list(made["responses"]) == ["200", "404"]


def test_an_operation_says_nothing_of_what_it_has_not() -> None:
    assert operation("getAll", "Get all", {}) == {"operationId": "getAll", "summary": "Get all", "responses": {}}


def test_a_body_may_be_left_out() -> None:
    assert json_body(str, required=False)["required"] is False


def test_a_stream_is_described_by_one_event_and_the_word_at_its_end() -> None:
    event = {"type": "string", "contentMediaType": "application/json", "contentSchema": int}

    def schema(**data: object) -> dict[str, object]:
        return {
            "type": "object",
            "properties": {"data": data, "event": _TEXT, "id": _TEXT},
            "required": ["data"],
        }

    endless, ending = stream_answer("Numbers.", int), stream_answer("Numbers.", int, ends="[DONE]")

    assert endless["content"] == {"text/event-stream": {"schema": schema(**event)}}
    assert ending["content"] == {
        "text/event-stream": {"schema": schema(anyOf=[{"type": "string", "const": "[DONE]"}, event])}
    }


def test_one_answer_may_have_several_types_and_headers() -> None:
    answer = either("This or that.", json_answer("This.", str), stream_answer("That.", str))
    answer = with_headers(with_headers(answer, {"x-one": choice("a", "b")}), {"x-two": _TEXT})

    assert answer["description"] == "This or that."
    assert set(answer["content"]) == {"application/json", "text/event-stream"}
    assert answer["headers"] == {"x-one": {"type": "string", "enum": ["a", "b"]}, "x-two": _TEXT}


def test_a_refusal_for_now_says_when_to_come_again_and_every_route_may_want_a_key() -> None:
    told = refusals(404, 503)

    assert set(told) == {401, 404, 503}
    assert all(answer["content"]["application/json"]["schema"] is Problem for answer in told.values())
    assert "headers" not in told[404]
    assert told[401]["headers"]["www-authenticate"]["required"] is True
    retry = told[503]["headers"]["retry-after"]
    assert (retry["required"], retry["schema"]) == (True, {"type": "integer", "minimum": 1})
