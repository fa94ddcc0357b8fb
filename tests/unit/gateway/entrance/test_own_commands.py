"""What a command of an agent may not ask for over the local socket, where the caller is known."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.unit.gateway.asgi import request
from wakeful.gateway.entrance.own_commands import RefuseCommands
from wakeful.wire.sse import TRANSPORT


class On:
    """Requests that come over this transport."""

    def __init__(self, app: ASGIApp, transport: Any) -> None:
        self._app = app
        self._transport = transport

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "extensions": {TRANSPORT: self._transport}}, receive, send)


async def tell_mark(request: Request) -> Response:
    return JSONResponse(getattr(request.state, "is_by_command", False))


@pytest.fixture
async def unix() -> AsyncIterator[asyncio.Transport]:
    """A connection of this process with itself."""
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=ours)
    with closing(theirs), closing(transport):
        yield transport


def app(transport: Any, *, command: int) -> ASGIApp:
    routes = Router([Route("/{path:path}", tell_mark, methods=["GET", "POST", "DELETE"])])
    return On(RefuseCommands(routes, lambda pid: pid == command), transport)


@pytest.mark.parametrize(
    "path",
    [
        "/api/approval/respond",
        "/api/grants",
        "/api/login/link",
        "/api/pairings",
        "/api/pairings/telegram/7",
        "/v1/runs/run_1/approval",
    ],
)
async def test_a_command_writes_nothing_that_is_for_people(path: str, unix: asyncio.Transport) -> None:
    of_command, of_person = app(unix, command=os.getpid()), app(unix, command=os.getpid() + 1)

    refused = [await request(of_command, path, method=method) for method in ("POST", "DELETE")]

    assert [(answer.status, answer.json["error"]["code"]) for answer in refused] == [(403, "not_allowed")] * 2
    assert (await request(of_command, path)).status == 200
    assert (await request(of_person, path, method="POST")).status == 200


@pytest.mark.parametrize("path", ["/api/session", "/api/session/new"])
async def test_a_session_that_a_command_asks_for_is_marked(path: str, unix: asyncio.Transport) -> None:
    of_command, of_person = app(unix, command=os.getpid()), app(unix, command=os.getpid() + 1)

    assert (await request(of_command, path, method="POST")).json is True
    assert (await request(of_person, path, method="POST")).json is False
    assert (await request(of_command, "/api/chat/start", method="POST")).json is False


async def test_on_the_network_the_key_alone_counts() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(asyncio.Protocol, "127.0.0.1", 0)
    transport, _ = await loop.create_connection(asyncio.Protocol, *server.sockets[0].getsockname())
    with closing(server), closing(transport):
        for connection in (transport, None):
            asked = await request(app(connection, command=os.getpid()), "/api/grants", method="POST")
            assert asked.status == 200


@pytest.mark.parametrize("path", ["/api/session", "/api/grants"])
async def test_what_is_no_request_passes(path: str) -> None:
    passed = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope)

    scope = {"type": "websocket", "path": path}
    await RefuseCommands(inner, lambda pid: True)(scope, None, None)  # type: ignore[arg-type]

    assert passed == [{"type": "websocket", "path": path}]
