"""Every answer carries a request id, and the log has the ids of requests that failed."""

import logging

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.unit.gateway.asgi import Answer, request, well
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.entrance.request_id import AddRequestId
from wakeful.gateway.http import http_app

KEY = "Bearer local-key"


@pytest.fixture
def app() -> ASGIApp:
    async def greet(request: Request) -> Response:
        return PlainTextResponse("hello")

    async def break_down(request: Request) -> Response:
        raise RuntimeError

    routes = [Route("/hello", greet), Route("/broken", break_down)]
    return http_app(Keyring({"operator": "local-key"}), routes, health=well)


@pytest.mark.parametrize(
    ("path", "key", "status"),
    [("/hello", KEY, 200), ("/nothing", KEY, 404), ("/hello", "", 401), ("/health", "", 200), ("/broken", KEY, 500)],
)
async def test_every_answer_has_its_own_id(app: ASGIApp, path: str, key: str, status: int) -> None:
    first, second = await _ask(app, path, key), await _ask(app, path, key)

    assert first.status == second.status == status
    assert first.headers["x-request-id"].startswith("req_")
    assert first.headers["x-request-id"] != second.headers["x-request-id"]


async def test_a_client_may_choose_the_id(app: ASGIApp) -> None:
    answer = await _ask(app, "/hello", KEY, b"trace:4f.a-B_1")

    assert answer.headers["x-request-id"] == "trace:4f.a-B_1"


@pytest.mark.parametrize("names", [[b""], [b"a b"], [b"a\r\nset-cookie: x"], [b"\xff"], [b"x" * 129], [b"a", b"b"]])
async def test_an_id_that_is_unfit_for_a_log_is_replaced(app: ASGIApp, names: list[bytes]) -> None:
    answer = await _ask(app, "/hello", KEY, *names)

    assert answer.headers["x-request-id"].startswith("req_")


async def test_a_request_that_broke_is_logged_with_its_id(app: ASGIApp, caplog: pytest.LogCaptureFixture) -> None:
    await _ask(app, "/broken", KEY, b"mine")
    await _ask(app, "/nothing", KEY, b"another")

    assert caplog.record_tuples == [
        ("wakeful.gateway.entrance.request_id", logging.WARNING, "GET /broken was answered with 500 (request mine)")
    ]


async def test_other_scopes_pass_through() -> None:
    seen: list[str] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    await AddRequestId(inner)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]

    assert seen == ["lifespan"]


async def _ask(app: ASGIApp, path: str, key: str, *names: bytes) -> Answer:
    async def named(scope: Scope, receive: Receive, send: Send) -> None:
        scope["headers"] += [(b"x-request-id", name) for name in names]
        try:
            await app(scope, receive, send)
        except RuntimeError:
            # The error is raised on to the server, which logs it.
            assert path == "/broken"

    return await request(named, path, key)
