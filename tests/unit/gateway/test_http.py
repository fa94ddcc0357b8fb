"""The ASGI app: health for everyone, the rest for those who have a key, every error as the same JSON."""

from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from tests.unit.gateway.asgi import request, well
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.http import http_app


async def tell_principal(request: Request) -> Response:
    return PlainTextResponse(request.state.principal)


async def break_down(request: Request) -> Response:
    raise RuntimeError("secret detail")


@pytest.fixture
def app() -> ASGIApp:
    return http_app(
        Keyring({"operator": "local-key", "ci": "ci-key"}),
        [Route("/who", tell_principal), Route("/broken", break_down)],
        health=well,
    )


async def test_health_needs_no_key(app: ASGIApp) -> None:
    answer = await request(app, "/health")

    assert (answer.status, answer.json) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example:80",
        "10.0.0.7",
        "",
        "x@localhost",
    ],
)
async def test_under_a_foreign_name_only_health_answers(app: ASGIApp, host: str) -> None:
    refused = [await request(app, path, "Bearer ci-key", host=host) for path in ("/who", "/", "/login", "/nothing")]

    assert [(answer.status, answer.json["error"]["code"]) for answer in refused] == [(421, "foreign_host")] * 4
    assert (await request(app, "/health", host=host)).status == 200


@pytest.mark.parametrize(("server", "status"), [(("/run/wakeful.sock", None), 200), (None, 421)])
async def test_on_a_unix_socket_which_no_page_can_reach_any_name_is_good(
    app: ASGIApp, server: tuple[str, int | None] | None, status: int
) -> None:
    assert (await request(app, "/who", "Bearer ci-key", host="evil.example", server=server)).status == status


@pytest.mark.parametrize("path", ["/who", "/", "/health/", "/health/x", "//health", "/HEALTH", "/nothing"])
async def test_every_other_address_needs_a_key(app: ASGIApp, path: str) -> None:
    answer = await request(app, path)

    assert answer.status == 401
    assert answer.json["error"]["code"] == "unauthorized"
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "authorization",
    [
        [""],
        ["Bearer"],
        ["Bearer "],
        ["Bearer wrong"],
        ["Bearer local-ke"],
        ["Bearer local-key2"],
        ["Bearer ci-key local-key"],
        ["Basic local-key"],
        ["local-key"],
        ["Bearer ключ"],
        ["Bearer wrong", "Bearer local-key"],
    ],
)
async def test_a_wrong_key_is_no_key(app: ASGIApp, authorization: list[str]) -> None:
    answer = await request(app, "/who", *authorization)

    assert answer.status == 401


@pytest.mark.parametrize(
    ("authorization", "principal"),
    [("Bearer local-key", b"operator"), ("bearer ci-key", b"ci"), ("Bearer   ci-key ", b"ci")],
)
async def test_a_route_knows_whose_key_it_is(app: ASGIApp, authorization: str, principal: bytes) -> None:
    answer = await request(app, "/who", authorization)

    assert (answer.status, answer.body) == (200, principal)


async def test_an_unknown_address_is_answered_with_json(app: ASGIApp) -> None:
    answer = await request(app, "/nothing", "Bearer ci-key")

    assert (answer.status, answer.json["error"]["code"]) == (404, "not_found")


async def test_an_address_with_a_slash_too_many_leads_nowhere(app: ASGIApp) -> None:
    assert (await request(app, "/who/", "Bearer ci-key")).status == 404


async def test_a_wrong_method_is_answered_with_json(app: ASGIApp) -> None:
    answer = await request(app, "/who", "Bearer ci-key", method="POST")

    assert (answer.status, answer.json["error"]["code"]) == (405, "method_not_allowed")


async def test_a_broken_route_reveals_no_details(app: ASGIApp) -> None:
    async def logged(scope: Any, receive: Any, send: Any) -> None:
        # The error is raised on to the server, which logs it.
        with pytest.raises(RuntimeError):
            await app(scope, receive, send)

    answer = await request(logged, "/broken", "Bearer ci-key")

    assert (answer.status, answer.json["error"]["code"]) == (500, "internal_error")
    assert b"secret detail" not in answer.body


async def test_a_websocket_without_a_key_is_closed(app: ASGIApp) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    await app({"type": "websocket", "path": "/who", "headers": []}, receive, send)

    assert sent == [{"type": "websocket.close", "code": 1008}]
