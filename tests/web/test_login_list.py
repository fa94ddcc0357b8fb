"""Logins are listed, and ended one by one or together; their streams end at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.patience import PATIENCE
from tests.web.browser import Browser, logged_in, new_token
from tests.web.kit import Served
from wakeful.gateway.entrance.logins.desk import LoginDesk, Visitor
from wakeful.gateway.entrance.logins.seal import end_outdated_logins, seals_of
from wakeful.store.sqlite.store import SqliteStore

_FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@asynccontextmanager
async def reading(browser: Browser) -> AsyncIterator[aiohttp.ClientResponse]:
    """A browser with an open stream."""
    cookie = {"cookie": f"{browser.cookie_name}={browser.cookie}"}
    async with (
        aiohttp.ClientSession(browser.web.url) as http,
        http.get("/api/stream", params={"rows": "1"}, headers=cookie) as response,
    ):
        assert response.status == 200
        yield response


async def until_cut(stream: aiohttp.ClientResponse) -> None:
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(aiohttp.ClientError):
            await stream.content.read()


async def logins(browser: Browser) -> list[dict[str, object]]:
    found: list[dict[str, object]] = (await browser.get("/api/logins")).json["logins"]
    return found


async def test_a_login_is_listed_with_its_browser_and_marked_as_this_one(web: Served) -> None:
    browser = Browser(web)
    token = {"token": await new_token(web, "ann")}
    await browser.send("POST", "/api/login", token, headers={"user-agent": _FIREFOX})
    browser.cookie = browser.set_cookie.partition(";")[0].partition("=")[2]

    (login,) = await logins(browser)

    assert (login["name"], login["browser"], login["address"]) == ("ann", "Firefox on Linux", "127.0.0.1")
    assert login["is_this"] is True
    assert str(login["created_at"]).endswith("Z")
    assert browser.cookie not in str(login)


async def test_principals_see_their_own_logins_and_the_operator_all(web: Served) -> None:
    of_ann, of_bob, of_operator = [await logged_in(web, who) for who in ("ann", "bob", "operator")]

    assert [login["name"] for login in await logins(of_ann)] == ["ann"]
    assert sorted(str(login["name"]) for login in await logins(of_operator)) == ["ann", "bob", "operator"]
    (login_of_ann,) = await logins(of_ann)
    refused = await of_bob.send("DELETE", f"/api/logins?id={login_of_ann['id']}")
    assert (refused.status, refused.code) == (404, "not_found")
    assert (await of_ann.get("/api/me")).status == 200


async def test_an_ended_login_is_refused_and_its_stream_ends_at_once(web: Served) -> None:
    phone, laptop = await logged_in(web), await logged_in(web)
    on_phone = next(login for login in await logins(laptop) if not login["is_this"])

    async with reading(phone) as stream, reading(laptop) as other:
        ended = await laptop.send("DELETE", f"/api/logins?id={on_phone['id']}")
        await until_cut(stream)

        assert (ended.status, ended.json) == (200, {"ok": True, "ended": 1})
        assert (await phone.get("/api/me")).status == 401
        assert (await laptop.get("/api/me")).status == 200
        assert not other.content.at_eof()


async def test_a_logout_ends_the_streams_of_that_login(web: Served) -> None:
    browser = await logged_in(web)

    async with reading(browser) as stream:
        assert (await browser.post("/api/logout")).status == 200
        await until_cut(stream)

    async with asyncio.timeout(PATIENCE):
        while web.desk.connections.logins():  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.005)


async def test_all_others_are_ended_and_the_one_that_asks_stays(web: Served) -> None:
    this, *others = [await logged_in(web) for _ in range(3)]

    ended = await this.send("DELETE", "/api/logins?others=true")

    assert ended.json == {"ok": True, "ended": 2}
    assert [(await browser.get("/api/me")).status for browser in (this, *others)] == [200, 401, 401]


async def test_a_program_with_the_local_key_ends_all(web: Served) -> None:
    browser = await logged_in(web)

    ended = await web.request("DELETE", "/api/logins?others=1", "operator")

    assert ended.json["ended"] == 1
    assert (await browser.get("/api/me")).status == 401


@pytest.mark.parametrize("query", ["", "?others=0", "?id=a&others=1", "?others=maybe"])
async def test_a_request_to_end_logins_must_say_which(web: Served, query: str) -> None:
    reply = await web.request("DELETE", f"/api/logins{query}", "ann")

    assert (reply.status, reply.code) == (400, "invalid_request")


async def test_another_page_cannot_end_logins(web: Served) -> None:
    browser = await logged_in(web)
    browser.origin = "https://evil.example"

    assert (await browser.send("DELETE", "/api/logins?others=1")).code == "foreign_origin"


async def test_a_stream_whose_login_another_node_has_ended_is_cut_at_the_next_check(web: Served) -> None:
    browser = await logged_in(web)
    async with reading(browser) as stream:
        await web.desk.check_connections()
        assert len(web.desk.connections.logins()) == 1

        await LoginDesk(web.store, web.desk.names).log_out(browser.cookie)
        await web.desk.check_connections()

        await until_cut(stream)


@pytest.mark.parametrize(
    ("changed", "alive"),
    [
        ({}, {"operator", "ann", "bob"}),
        ({"key": "another local key"}, set()),
        ({"password": "another password"}, set()),
        ({"ann": "another key of ann"}, {"operator", "bob"}),
        ({"home": "another home"}, {"operator", "ann", "bob"}),
    ],
)
async def test_a_new_password_or_key_ends_the_logins_made_with_the_old_one(
    store: SqliteStore, changed: dict[str, str], alive: set[str]
) -> None:
    desk = LoginDesk(store, {"operator", "ann", "bob"})
    await seal(store, {})
    secrets = {name: await desk.log_in(name, Visitor()) for name in ("operator", "ann", "bob")}
    token = await desk.new_ticket("operator")

    await seal(store, changed)

    assert {name for name, secret in secrets.items() if await desk.login_of(secret)} == alive
    if not alive:
        assert await store.read(lambda tx: tx.logins.page(None, 10)) == []
    else:
        await desk.redeem(token, Visitor())


async def seal(store: SqliteStore, changed: dict[str, str]) -> None:
    given = {"key": "local key", "password": "password", "ann": "key of ann", "home": "home"} | changed
    keys = {"ann": given["ann"], "bob": "key of bob"}
    seals = seals_of(given["key"], given["password"], keys, operator="operator")
    await end_outdated_logins(store, given["home"], seals, operator="operator")


async def test_no_password_is_stored_with_the_seals(store: SqliteStore, tmp_path: Path) -> None:
    await seal(store, {"password": "correct horse battery"})
    await store.close()

    assert b"battery" not in b"".join(path.read_bytes() for path in tmp_path.glob("wakeful.db*"))
