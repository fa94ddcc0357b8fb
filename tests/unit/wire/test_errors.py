"""Errors are answered by their class, and a bug is never answered as a known error."""

from typing import Any

import orjson
import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from wakeful import errors
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.body_room import NoRoom
from wakeful.wire.errors import (
    BodyTooLarge,
    InvalidRequest,
    answer_broken,
    answer_http_error,
    answer_known_error,
)


def request_to(path: str, **scope: Any) -> Request:
    return Request({"type": "http", "method": "GET", "path": path, "headers": [], **scope})


def error_in(response: Response) -> dict[str, Any]:
    error: dict[str, Any] = orjson.loads(response.body)["error"]
    return error


REQUEST = request_to("/")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.SessionNotFound(), 404, "not_found"),
        (errors.StoreFull(), 503, "store_unavailable"),
        (errors.StoreUnavailable(), 503, "store_unavailable"),
        (errors.EngineStopping(), 503, "stopping"),
        (errors.NotQueued(), 409, "not_queued"),
        (errors.AlreadyAnswered(), 409, "already_answered"),
        (errors.AttachmentTooLarge(), 413, "too_large"),
        (errors.BadSignature(), 401, "bad_signature"),
        (errors.NotAllowed(), 403, "not_allowed"),
        (errors.OnceOnly(), 400, "once_only"),
        (NoRoom(), 503, "busy"),
        (BodyTooLarge(), 413, "body_too_large"),
        (InvalidRequest("Which?", param="name"), 400, "invalid_request"),
    ],
)
async def test_an_error_is_answered_by_its_class(error: errors.WakefulError, status: int, code: str) -> None:
    response = await answer_known_error(REQUEST, error)

    assert response.status_code == status
    assert error_in(response) == {"code": code, "message": str(error)}
    assert response.headers.get("retry-after") == ("2" if status == 503 else None)


@pytest.mark.parametrize(
    ("error", "code", "kind", "param"),
    [
        (InvalidRequest("Which?", param="tools[0].name"), "invalid_request", "invalid_request_error", "tools[0].name"),
        (BodyTooLarge(), "request_too_large", "invalid_request_error", None),
        (errors.SessionBusy("turn_1"), "session_busy", "invalid_request_error", None),
        (errors.EngineStopping(), "stopping", "server_error", None),
    ],
)
async def test_clients_of_openai_get_the_error_in_its_shape(
    error: errors.WakefulError, code: str, kind: str, param: str | None
) -> None:
    response = await answer_known_error(request_to("/v1/responses"), error)

    assert error_in(response) == {"message": str(error), "type": kind, "param": param, "code": code}


@pytest.mark.parametrize(("path", "type_told"), [("/v1/responses", "server_error"), ("/api/me", None), ("/v1x", None)])
async def test_what_broke_is_an_error_of_the_server(path: str, type_told: str | None) -> None:
    response = await answer_broken(request_to(path), RuntimeError("secret"))

    assert response.status_code == 500
    assert (error_in(response)["code"], error_in(response).get("type")) == ("internal_error", type_told)
    assert b"secret" not in response.body


async def test_too_many_requests_are_told_as_such_to_clients_of_openai() -> None:
    refusal = HTTPException(429, "Later.", {"retry-after": "9"})
    response = await answer_http_error(request_to("/v1/responses"), refusal)

    assert error_in(response) == {
        "message": "Later.",
        "type": "rate_limit_error",
        "param": None,
        "code": "request_failed",
    }
    assert response.headers["retry-after"] == "9"


@pytest.mark.parametrize(
    ("status", "path", "sentence"),
    [
        (404, "/api/me", "There is nothing at this address."),
        (404, "/api/me/", "There is nothing at this address. Leave out the slash at its end."),
        (400, "/api/me/", "Bad Request"),
    ],
)
async def test_an_address_with_a_slash_too_many_is_told_so(status: int, path: str, sentence: str) -> None:
    response = await answer_http_error(request_to(path), HTTPException(status))

    assert (response.status_code, error_in(response)["message"]) == (status, sentence)


async def test_a_wrong_method_is_told_the_right_ones_of_all_routes_at_the_address() -> None:
    async def answer(request: Request) -> Response:
        return JsonAnswer(Ok())

    routes = [
        # What is no route of methods has none to tell.
        Mount("/", Starlette()),
        Route("/thing", answer, methods=["POST"]),
        Route("/thing", answer, methods=["DELETE", "GET"]),
        Route("/other", answer, methods=["PATCH"]),
    ]
    response = await answer_http_error(request_to("/thing", app=Starlette(routes=routes)), HTTPException(405))

    assert response.headers["allow"] == "DELETE, GET, HEAD, POST"
    assert error_in(response)["code"] == "method_not_allowed"


def test_a_route_without_data_says_that_it_is_done() -> None:
    answer = JsonAnswer(Ok())

    assert (answer.body, answer.headers["content-type"]) == (b'{"ok":true}', "application/json")


async def test_a_busy_session_names_the_stream_to_follow_instead() -> None:
    response = await answer_known_error(REQUEST, errors.SessionBusy("turn_1"))

    assert error_in(response)["active_stream_id"] == "turn_1"


async def test_an_error_that_is_a_bug_is_raised_again() -> None:
    with pytest.raises(errors.LeaseLost):
        await answer_known_error(REQUEST, errors.LeaseLost())


@pytest.mark.parametrize("path", ["/", "/v1/responses"])
async def test_a_long_value_is_not_sent_back_whole(path: str) -> None:
    async def told(sentence: str) -> str:
        message: str = error_in(await answer_known_error(request_to(path), InvalidRequest(sentence)))["message"]
        return message

    longest = "x" * 1_000
    assert await told(longest) == longest
    message = await told(f"There is no model {'x' * 1_000_000}, choose another.")
    assert message.startswith("There is no model xxx")
    assert message.endswith("xxx, choose another.")
    assert len(message) == 1_003
