"""Pages of other sites cannot make a browser act on this server."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.web.browser import Browser, logged_in, new_token
from tests.web.kit import KEYS, Served, served
from tests.web.raw import raw
from wakeful.cli.server.listener import bind_local
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.store.sqlite.store import SqliteStore

PUBLIC = "https://wakeful.example.org"


@pytest.fixture
async def proxied(store: SqliteStore, tmp_path: Path) -> AsyncIterator[Served]:
    """A server behind a proxy with a public name."""
    async with served(store, tmp_path, address=OwnAddress(("10.0.0.7",), PUBLIC)) as web:
        yield web


@pytest.mark.parametrize("path", ["/", "/login", "/api/me", "/v1/models", "/static/x/y", "/api/login", "/nothing"])
async def test_a_foreign_host_gets_nothing(web: Served, path: str) -> None:
    status, body = await raw(web, f"GET {path} HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer {KEYS['ann']}")

    assert status == 421
    assert b'"foreign_host"' in body


async def test_no_host_and_two_hosts_are_foreign(web: Served) -> None:
    without, _ = await raw(web, "GET /login HTTP/1.0")
    double, _ = await raw(web, "GET /login HTTP/1.1\r\nHost: localhost\r\nHost: evil.example")

    # The HTTP server itself refuses two.
    assert (without, double) in [(421, 421), (421, 400)]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "localhost.", "app.localhost:8787", "127.0.0.1", "127.9.9.9:99", "[::1]:8787"]
)
async def test_this_machine_is_served_under_its_own_names(web: Served, host: str) -> None:
    status, _ = await raw(web, f"GET /login HTTP/1.1\r\nHost: {host}")

    assert status == 200


@pytest.mark.parametrize("host", ["wakeful.example.org", "WAKEFUL.example.org:443", "10.0.0.7:8787", "localhost"])
async def test_configured_names_are_served_too(proxied: Served, host: str) -> None:
    status, _ = await raw(proxied, f"GET /login HTTP/1.1\r\nHost: {host}")

    assert status == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "file://"]
)
async def test_a_foreign_page_cannot_write_with_a_cookie(web: Served, origin: str) -> None:
    browser = await logged_in(web)
    session_id = await web.new_session("ann")
    browser.origin = origin

    refused = [
        await browser.post("/api/session/new", {}),
        await browser.send("PATCH", "/api/session", {"session_id": session_id, "title": "stolen"}),
        await browser.send("DELETE", f"/api/session?session_id={session_id}"),
        await browser.post("/api/login/link", {}),
        await browser.post("/api/logout"),
    ]

    assert [(reply.status, reply.code) for reply in refused] == [(403, "foreign_origin")] * 5
    assert (await browser.get("/api/me")).status == 200
    assert (await web.shown(session_id))["session"]["title"] != "stolen"


async def test_a_foreign_page_cannot_log_a_browser_in(web: Served) -> None:
    token = await new_token(web)

    by_origin = await Browser(web, origin="https://evil.example").log_in(token=token)
    by_site = await Browser(web, origin="").post("/api/login", {"token": token}, **{"Sec-Fetch-Site": "cross-site"})

    assert [(reply.status, reply.code) for reply in (by_origin, by_site)] == [(403, "foreign_origin")] * 2
    # The token is still good.
    assert (await Browser(web).log_in(token=token)).status == 200


@pytest.mark.parametrize(("site", "status"), [("same-origin", 200), ("same-site", 403), ("cross-site", 403), ("", 403)])
async def test_without_an_origin_the_browser_must_say_that_it_is_the_same(web: Served, site: str, status: int) -> None:
    browser = await logged_in(web)
    browser.origin = ""

    reply = await browser.post("/api/session/new", {}, **({"Sec-Fetch-Site": site} if site else {}))

    assert reply.status == status


async def test_a_program_may_log_in_without_an_origin(web: Served) -> None:
    assert (await Browser(web, origin="").log_in(token=await new_token(web))).status == 200


async def test_with_a_key_the_origin_does_not_matter(web: Served) -> None:
    reply = await web.post("/api/session/new", {}, "ann", Origin="https://evil.example")

    assert reply.status == 200


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("wakeful.example.org", PUBLIC, 200),
        # A proxy that does not forward the name.
        ("127.0.0.1:8787", PUBLIC, 200),
        ("127.0.0.1:8787", "http://127.0.0.1:8787", 200),
        ("10.0.0.7", "https://10.0.0.7", 200),
        # Someone on the network can serve a page under this name, but not with TLS.
        ("wakeful.example.org", "http://wakeful.example.org", 403),
        ("wakeful.example.org", "https://other.example.org", 403),
        ("127.0.0.1:8787", "http://wakeful.example.org", 403),
    ],
)
async def test_behind_a_proxy_the_origin_is_the_public_one(
    proxied: Served, host: str, origin: str, status: int
) -> None:
    browser = await logged_in(proxied)
    browser.origin = origin
    # A browser has one of these cookies, depending on the URL that it uses.
    names = ("__Host-wakeful_session_443", "wakeful_session_8787", "wakeful_session_80")
    jar = "; ".join(f"{name}={browser.cookie}" for name in names)

    assert (await browser.post("/api/session/new", {}, Host=host, Cookie=jar)).status == status


async def test_the_unix_socket_is_out_of_reach_for_browsers_and_takes_any_name(
    store: SqliteStore, tmp_path: Path
) -> None:
    with bind_local(tmp_path / "sock") as local:
        async with served(store, tmp_path, local=local):
            connector = aiohttp.UnixConnector(str(tmp_path / "sock"))
            async with aiohttp.ClientSession("http://anything.example", connector=connector) as http:
                headers = {"Authorization": f"Bearer {KEYS['ann']}"}
                async with http.get("/api/me", headers=headers) as response:
                    assert response.status == 200
