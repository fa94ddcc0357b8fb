"""The Host header: only our own names are answered to, but for health, and on a Unix socket."""

from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from wakeful.gateway.entrance.check_host import CheckHost
from wakeful.gateway.entrance.own_address import OwnAddress


async def status(path: str, *hosts: str, server: Any = ("127.0.0.1", 80), kind: str = "http") -> int | None:
    """Return the status of the answer; None where there is none."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await PlainTextResponse("in")(scope, receive, send)

    headers = [(b"host", host.encode()) for host in hosts]
    scope = {"type": kind, "method": "GET", "path": path, "headers": headers, "server": server}
    await CheckHost(app, OwnAddress(["wakeful.example"]))(scope, receive, send)
    return sent[0]["status"] if sent else None


@pytest.mark.parametrize(
    ("path", "hosts", "answer"),
    [
        ("/who", ["localhost:8787"], 200),
        ("/who", ["wakeful.example"], 200),
        ("/who", ["evil.example"], 421),
        ("/who", [], 421),
        ("/who", ["localhost", "localhost"], 421),
        ("/health", ["evil.example"], 200),
        ("/health/x", ["evil.example"], 421),
    ],
)
async def test_only_our_own_names_are_answered_to(path: str, hosts: list[str], answer: int) -> None:
    assert await status(path, *hosts) == answer


@pytest.mark.parametrize(
    ("server", "answer"), [(("/run/wakeful.sock", None), 200), (("127.0.0.1", 80), 421), (None, 421)]
)
async def test_no_page_can_reach_a_unix_socket(server: Any, answer: int) -> None:
    assert await status("/who", "evil.example", server=server) == answer


async def test_what_is_no_request_passes() -> None:
    assert await status("/who", kind="lifespan") is None
