"""Pages of configured origins may use the API; other pages may not, and no page may use other routes."""

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.unit.gateway.asgi import Answer, request, well
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.entrance.cors import AllowOrigins
from wakeful.gateway.http import http_app

PAGE = "https://app.example.org"


async def tell(request: Request) -> Response:
    return PlainTextResponse("answer")


def made_app(*origins: str) -> ASGIApp:
    routes = [Route("/v1/x", tell, methods=["GET", "DELETE"]), Route("/api/x", tell)]
    return http_app(Keyring({"ci": "key"}), routes, health=well, origins=origins)


@pytest.fixture
def app() -> ASGIApp:
    return made_app(PAGE, "http://localhost:3000")


async def ask(app: ASGIApp, path: str = "/v1/x", origin: str = PAGE, key: str = "Bearer key") -> Answer:
    return await request(app, path, key, headers={"origin": origin})


async def ask_first(app: ASGIApp, path: str = "/v1/x", origin: str = PAGE, method: str = "DELETE") -> Answer:
    headers = {
        "origin": origin,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization,idempotency-key,x-hermes-session-key",
    }
    return await request(app, path, method="OPTIONS", headers=headers)


async def test_a_configured_origin_may_send_a_preflight_request_without_a_key(app: ASGIApp) -> None:
    answer = await ask_first(app)

    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "DELETE" in answer.headers["access-control-allow-methods"]
    allowed = answer.headers["access-control-allow-headers"]
    assert all(name in allowed for name in ("authorization", "idempotency-key", "x-hermes-session-key"))
    assert "access-control-allow-credentials" not in answer.headers


async def test_a_configured_origin_may_read_the_answer_and_its_request_id(app: ASGIApp) -> None:
    answer = await ask(app)

    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, PAGE)
    assert "x-request-id" in answer.headers["access-control-expose-headers"]
    assert answer.headers["vary"] == "Origin"
    assert "access-control-allow-credentials" not in answer.headers


async def test_a_configured_origin_may_read_why_it_was_refused(app: ASGIApp) -> None:
    answers = [await ask(app, key="Bearer wrong"), await ask(app, "/v1/nothing")]

    assert [answer.status for answer in answers] == [401, 404]
    assert {answer.headers["access-control-allow-origin"] for answer in answers} == {PAGE}


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://app.example.org", f"{PAGE}.evil.example", f"{PAGE}:8443", "null", ""]
)
async def test_a_page_of_another_origin_gets_no_cors_headers(app: ASGIApp, origin: str) -> None:
    first, then = await ask_first(app, origin=origin), await ask(app, origin=origin)

    assert (first.status, then.status) == (401, 200)
    assert not [name for name in {**first.headers, **then.headers} if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/api/x", "/health", "/openapi.json", "/metrics", "/v1"])
async def test_routes_outside_of_v1_send_no_cors_headers(app: ASGIApp, path: str) -> None:
    first, then = await ask_first(app, path), await ask(app, path)

    assert not [name for name in {**first.headers, **then.headers} if name.startswith("access-control")]


async def test_other_scopes_pass_through() -> None:
    passed = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["type"])

    await AllowOrigins(inner, [PAGE])({"type": "lifespan"}, None, None)  # type: ignore[arg-type]

    assert passed == ["lifespan"]


async def test_it_is_off_unless_it_is_configured() -> None:
    app = made_app()
    first, then = await ask_first(app), await ask(app)

    assert (first.status, then.status) == (401, 200)
    assert not [name for name in {**first.headers, **then.headers} if name.startswith("access-control")]
