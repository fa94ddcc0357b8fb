"""Who is let in: by a key anywhere, by a cookie on what the page uses, and by nothing where there is no secret."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.unit.gateway.asgi import Answer, request
from wakeful.errors import StoreError
from wakeful.gateway.entrance.auth import Keyring, RequireKey
from wakeful.gateway.entrance.logins.desk import LoginDesk, Visitor
from wakeful.gateway.entrance.own_address import OwnAddress

KEYS = Keyring({"operator": "local-key", "ann": "anns-key"})
OWN = {"origin": "http://127.0.0.1"}


class App:
    """Notes who was let in, and with which login."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str | None]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope.get("state", {})
        self.seen.append((state.get("principal", ""), state.get("login")))
        if scope["type"] == "http":
            await PlainTextResponse("in")(scope, receive, send)


def cookie(secret: str) -> dict[str, str]:
    return {"cookie": f"wakeful_session_80={secret}"}


async def ask(
    app: Any, path: str, *authorization: str, desk: LoginDesk | None = None, method: str = "GET", **headers: str
) -> Answer:
    entrance = RequireKey(app, KEYS, desk, OwnAddress())
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return await request(entrance, path, *authorization, method=method, headers=given)


@pytest.mark.parametrize(
    ("key", "holder"), [(b"local-key", "operator"), (b"anns-key", "ann"), (b"", None), (b"x", None)]
)
def test_a_key_has_one_holder(key: bytes, holder: str | None) -> None:
    assert KEYS.holder(key) == holder


@pytest.mark.parametrize(
    ("path", "is_open"),
    [
        ("/health", True),
        ("/openapi.json", True),
        ("/docs", True),
        ("/docs/style.css", True),
        ("/login", True),
        ("/favicon.ico", True),
        ("/api/login", True),
        ("/api/logout", True),
        ("/static/js/app.js", True),
        ("/platforms/telegram", True),
        ("/hooks/repo", True),
        ("/static", False),
        ("/hooks", False),
        ("/api/login/link", False),
        ("/api/logins", False),
        ("/docs/other", False),
        ("/metrics", False),
        ("/v1/models", False),
        ("/", False),
    ],
)
async def test_which_paths_are_open(path: str, is_open: bool) -> None:
    app = App()
    answer = await ask(app, path)

    assert (answer.status, len(app.seen)) == ((200, 1) if is_open else (401, 0))


@pytest.mark.parametrize(
    ("authorization", "principal"),
    [
        (["Bearer local-key"], "operator"),
        (["bearer  anns-key "], "ann"),
        (["Basic anns-key"], None),
        (["anns-key"], None),
        (["Bearer anns-key", "Bearer anns-key"], None),
        ([], None),
    ],
)
async def test_a_bearer_key_names_its_holder(authorization: list[str], principal: str | None) -> None:
    app = App()
    answer = await ask(app, "/v1/models", *authorization)

    assert app.seen == ([] if principal is None else [(principal, None)])
    assert answer.status == (401 if principal is None else 200)


@pytest.mark.parametrize(("path", "code"), [("/v1/models", "invalid_api_key"), ("/metrics", "unauthorized")])
async def test_a_refusal_says_what_is_missing(path: str, code: str) -> None:
    answer = await ask(App(), path)

    assert (answer.json["error"]["code"], answer.headers["www-authenticate"]) == (code, "Bearer")


@pytest.mark.parametrize(
    ("path", "is_taken"),
    [
        ("/", True),
        ("/s/ses_1", True),
        ("/settings", True),
        ("/schedules", True),
        ("/api/me", True),
        ("/v1/models", False),
        ("/metrics", False),
    ],
)
async def test_a_cookie_counts_for_what_the_page_uses_alone(desk: LoginDesk, path: str, is_taken: bool) -> None:
    app, secret = App(), await desk.log_in("ann", Visitor())
    answer = await ask(app, path, desk=desk, **cookie(secret))

    assert (answer.status, [principal for principal, _ in app.seen]) == ((200, ["ann"]) if is_taken else (401, []))
    assert all(login is not None for _, login in app.seen)


async def test_with_a_key_and_a_cookie_the_key_counts_and_a_wrong_key_is_not_made_up_for(desk: LoginDesk) -> None:
    app, secret = App(), await desk.log_in("ann", Visitor())
    await ask(app, "/api/me", "Bearer local-key", desk=desk, **cookie(secret))
    refused = await ask(app, "/api/me", "Bearer wrong", desk=desk, **cookie(secret))

    assert (app.seen, refused.status) == ([("operator", None)], 401)


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/", 303, "/login"),
        ("/s/ses 1", 303, "/login?next=/s/ses%201"),
        ("/settings", 303, "/login?next=/settings"),
        ("/api/me", 401, None),
    ],
)
async def test_without_a_login_a_page_leads_to_the_login_page(
    desk: LoginDesk, path: str, status: int, location: str | None
) -> None:
    for headers in ({}, cookie("made-up")):
        answer = await ask(App(), path, desk=desk, **headers)
        assert (answer.status, answer.headers.get("location")) == (status, location)


async def test_a_wrong_key_for_a_page_is_no_way_to_the_login_page(desk: LoginDesk) -> None:
    assert (await ask(App(), "/", "Bearer wrong", desk=desk)).status == 401
    assert (await ask(App(), "/")).status == 401, "nor is there one without a desk"


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", OWN, 200),
        ("POST", {}, 403),
        ("POST", {"origin": "http://evil.example"}, 403),
        ("DELETE", {"origin": "http://evil.example"}, 403),
        ("GET", {"origin": "http://evil.example"}, 200),
        ("HEAD", {}, 200),
        ("OPTIONS", {}, 200),
    ],
)
async def test_a_cookie_writes_from_our_own_page_alone(
    desk: LoginDesk, method: str, headers: dict[str, str], status: int
) -> None:
    app, secret = App(), await desk.log_in("ann", Visitor())
    answer = await ask(app, "/api/stop", desk=desk, method=method, **cookie(secret) | headers)

    assert (answer.status, len(app.seen)) == (status, status == 200)


async def test_a_program_with_a_key_writes_without_an_origin(desk: LoginDesk) -> None:
    app = App()
    await ask(app, "/api/stop", "Bearer anns-key", desk=desk, method="POST", origin="http://evil.example")

    assert app.seen == [("ann", None)]


async def test_while_the_store_is_away_nobody_is_sent_to_the_login_page(
    desk: LoginDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(secret: str) -> Any:
        raise StoreError

    monkeypatch.setattr(desk, "login_of", fail)
    app = App()
    answer = await ask(app, "/", desk=desk, **cookie("secret"))

    assert (answer.status, app.seen) == (503, [])


async def test_the_reads_of_a_login_are_tracked_and_nothing_else(
    desk: LoginDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracked: list[str] = []

    @contextmanager
    def track(login: str, scope: Scope) -> Iterator[None]:
        tracked.append(login)
        yield

    monkeypatch.setattr(desk.connections, "tracked", track)
    app, secret = App(), await desk.log_in("ann", Visitor())
    await ask(app, "/api/me", desk=desk, method="POST", **cookie(secret) | OWN)
    await ask(app, "/api/me", "Bearer anns-key", desk=desk)
    assert tracked == []
    await ask(app, "/api/me", desk=desk, **cookie(secret))

    assert tracked == [app.seen[0][1]]


async def test_a_websocket_without_a_key_is_closed_and_the_lifespan_passes() -> None:
    app, sent = App(), []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is read of it")

    entrance = RequireKey(app, KEYS, None, OwnAddress())
    await entrance({"type": "websocket", "path": "/v1/live", "headers": []}, receive, send)
    assert (sent, app.seen) == ([{"type": "websocket.close", "code": 1008}], [])
    await entrance({"type": "lifespan"}, receive, send)
    assert len(app.seen) == 1
