"""Headers that restrict what browsers do with a response."""

from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from wakeful.gateway.entrance.security_headers import AddSecurityHeaders

EVERYWHERE = {
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "cache-control",
}


async def passed(messages: list[dict[str, Any]], kind: str = "http") -> list[Any]:
    """Return what is sent on of an app's messages."""
    sent: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        for message in messages:
            await send(message)

    async def send(message: Any) -> None:
        sent.append(message)

    await AddSecurityHeaders(app)({"type": kind}, None, send)  # type: ignore[arg-type]
    return sent


async def headers_of(*given: tuple[bytes, bytes]) -> list[tuple[str, str]]:
    start, end = await passed([{"type": "http.response.start", "headers": given}, {"type": "http.response.body"}])
    assert end == {"type": "http.response.body"}
    return [(name.decode(), value.decode()) for name, value in start["headers"]]


@pytest.mark.parametrize("type_", [b"text/html; charset=utf-8", b"text/javascript", b"image/svg+xml"])
async def test_what_a_browser_runs_or_shows_has_a_policy(type_: bytes) -> None:
    headers = dict(await headers_of((b"content-type", type_)))

    assert headers.keys() == EVERYWHERE | {"content-type", "content-security-policy"}
    assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]


@pytest.mark.parametrize("given", [[(b"content-type", b"application/json")], []])
async def test_anything_else_has_the_other_headers_alone(given: list[tuple[bytes, bytes]]) -> None:
    assert {name for name, _ in await headers_of(*given)} == EVERYWHERE | {name.decode() for name, _ in given}


async def test_a_header_that_is_set_already_stays_alone() -> None:
    given = [
        (b"content-type", b"text/html"),
        (b"content-security-policy", b"default-src 'self'"),
        (b"cache-control", b"max-age=60"),
    ]

    headers = await headers_of(*given)

    assert len(headers) == len(dict(headers)) == len(EVERYWHERE) + 2
    assert dict(headers).items() >= {(name.decode(), value.decode()) for name, value in given}


async def test_other_scopes_pass_unchanged() -> None:
    message = {"type": "http.response.start"}

    assert await passed([message], "websocket") == [message]
