"""How browsers log in and out, and what they may do in between."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.web.browser import Browser, logged_in, new_token
from tests.web.kit import KEYS, Served, served
from tests.web.raw import raw
from wakeful.gateway.entrance.logins.desk import LoginDesk
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.store.base import Transaction
from wakeful.store.sqlite.store import SqliteStore

PASSWORD = "correct horse"
DAY = 86_400.0


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(sqlite_path: Path, clock: Clock) -> AsyncIterator[SqliteStore]:
    """A store with the test's clock."""
    store = SqliteStore(sqlite_path, clock, synchronous="OFF")
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def guarded(store: SqliteStore, tmp_path: Path) -> AsyncIterator[Served]:
    """A server with a password."""
    async with served(store, tmp_path, password=PASSWORD) as web:
        yield web


async def test_a_token_is_good_for_a_cookie_that_scripts_cannot_read(web: Served) -> None:
    browser = Browser(web)

    reply = await browser.log_in(token=await new_token(web, "ann"))

    assert (reply.status, reply.json) == (200, {"ok": True})
    rules = browser.set_cookie.split("; ")[1:]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(rules)
    assert "Secure" not in rules
    assert (await browser.get("/api/me")).json["name"] == "ann"


async def test_over_https_the_cookie_is_marked_secure(web: Served) -> None:
    browser = Browser(web, origin=web.url.replace("http://", "https://"))

    await browser.log_in(token=await new_token(web))

    assert browser.set_cookie.startswith(f"__Host-{browser.cookie_name}=")
    assert browser.set_cookie.endswith("; Secure")


async def test_where_the_page_is_public_under_https_only_the_cookie_of_https_counts(
    store: SqliteStore, tmp_path: Path
) -> None:
    address = OwnAddress(public_url="https://wakeful.example.org:8443")
    async with served(store, tmp_path, address=address) as web:
        browser = Browser(web, origin=address.public_url)
        there = {"host": "wakeful.example.org"}
        token = {"token": await new_token(web)}
        await browser.send("POST", "/api/login", token, headers=there)
        name, _, secret = browser.set_cookie.partition(";")[0].partition("=")

        assert name == "__Host-wakeful_session_8443"
        assert (await browser.get("/api/me", **there, cookie=f"{name}={secret}")).status == 200
        assert (await browser.get("/api/me", **there, cookie=f"wakeful_session_8443={secret}")).status == 401


async def test_two_servers_on_one_machine_do_not_take_each_others_cookies(web: Served, guarded: Served) -> None:
    here, there = await logged_in(web), Browser(guarded)
    await there.log_in(password=PASSWORD)
    # A browser sends both cookies to both.
    jar = "; ".join(f"{browser.cookie_name}={browser.cookie}" for browser in (here, there))

    assert here.cookie_name != there.cookie_name
    assert (await Browser(web).get("/api/me", cookie=jar)).json["name"] == "ann"
    assert (await Browser(guarded).get("/api/me", cookie=jar)).json["name"] == "operator"


async def test_a_token_works_once(web: Served) -> None:
    token = await new_token(web)
    await Browser(web).log_in(token=token)

    again = await Browser(web).log_in(token=token)

    assert (again.status, again.code) == (401, "token_used")


async def test_an_unknown_token_is_refused(web: Served) -> None:
    reply = await Browser(web).log_in(token="made-up")

    assert (reply.status, reply.code) == (401, "invalid_token")
    assert "set-cookie" not in reply.headers


async def test_a_token_is_forgotten_after_an_hour(web: Served, clock: Clock) -> None:
    token = await new_token(web)
    clock.now += 3600

    reply = await Browser(web).log_in(token=token)

    assert (reply.status, reply.code) == (401, "invalid_token")


async def test_tokens_and_logins_outlive_the_server(store: SqliteStore, tmp_path: Path) -> None:
    async with served(store, tmp_path) as web:
        token, browser = await new_token(web), await logged_in(web)

    async with served(store, tmp_path) as web:
        assert (await Browser(web).log_in(token=token)).status == 200
        assert (await Browser(web, browser.cookie).get("/api/me")).json["name"] == "ann"


async def test_a_login_lasts_as_long_as_it_is_used(web: Served, clock: Clock) -> None:
    browser = await logged_in(web)
    for _ in range(4):
        clock.now += 20 * DAY
        assert (await browser.get("/api/me")).status == 200

    clock.now += 31 * DAY

    assert (await browser.get("/api/me")).status == 401


async def test_the_use_of_a_login_is_not_written_with_every_request(
    web: Served, clock: Clock, store: SqliteStore
) -> None:
    browser = await logged_in(web)
    writes = 0

    async def counted(*arguments: object, **how: object) -> None:
        nonlocal writes
        writes += 1

    store.write = counted  # type: ignore[method-assign, assignment]
    for _ in range(20):
        await browser.get("/api/me")

    # Other parts of the server may write too.
    assert writes < 10


async def test_what_has_expired_is_removed(web: Served, clock: Clock, store: SqliteStore) -> None:
    await logged_in(web)
    token = await new_token(web)
    clock.now += 31 * DAY

    await Browser(web).log_in(token=token)
    await new_token(web)

    async def count(tx: Transaction) -> tuple[int, int]:
        connection = tx.logins._connection  # type: ignore[attr-defined]
        tables = ("logins", "login_tickets")
        logins, tickets = (connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
        return logins, tickets

    assert await store.read(count) == (0, 1)


async def test_logging_out_ends_the_login_everywhere(web: Served) -> None:
    browser = await logged_in(web)

    reply = await browser.post("/api/logout")

    assert (reply.status, reply.json) == (200, {"ok": True})
    assert f"{browser.cookie_name}=;" in browser.set_cookie
    assert "Max-Age=0" in browser.set_cookie
    assert (await browser.get("/api/me")).status == 401


async def test_logging_out_without_being_in_is_no_error(web: Served) -> None:
    assert (await Browser(web, "nonsense").post("/api/logout")).status == 200
    assert (await Browser(web).post("/api/logout")).status == 200


async def test_logging_in_again_ends_the_login_before(web: Served) -> None:
    browser = await logged_in(web)
    before = browser.cookie

    await browser.log_in(token=await new_token(web, "ann"))

    assert browser.cookie != before
    assert (await Browser(web, before).get("/api/me")).status == 401


async def test_no_secret_is_stored(web: Served, tmp_path: Path, store: SqliteStore) -> None:
    token = await new_token(web)
    browser = await logged_in(web)
    await store.close()

    stored = b"".join(path.read_bytes() for path in tmp_path.glob("wakeful.db*"))

    assert b"login_tickets" in stored
    assert token.encode() not in stored
    assert browser.cookie.encode() not in stored


async def test_a_principal_that_loses_the_key_loses_the_login(store: SqliteStore, tmp_path: Path) -> None:
    async with served(store, tmp_path) as web:
        browser = await logged_in(web, "ann")

    without_ann = LoginDesk(store, {"operator", "bob"})

    assert await without_ann.login_of(browser.cookie) is None
    assert await LoginDesk(store, KEYS).login_of(browser.cookie) is not None


@pytest.mark.parametrize(
    ("path", "login"),
    [
        ("/", "/login"),
        ("/s/some-session", "/login?next=/s/some-session"),
        ("/schedules/cron_1", "/login?next=/schedules/cron_1"),
    ],
)
async def test_without_a_login_the_page_leads_to_the_login_page(web: Served, path: str, login: str) -> None:
    reply = await Browser(web).get(path)

    assert (reply.status, reply.headers["location"]) == (303, login)
    assert (await Browser(web, "nonsense").get(path)).status == 303


async def test_without_a_login_the_routes_of_the_page_answer_with_json(web: Served) -> None:
    reply = await Browser(web).get("/api/sessions")

    assert (reply.status, reply.code) == (401, "unauthorized")


@pytest.mark.parametrize("second", ["nonsense", KEYS["ann"]])
async def test_two_keys_in_one_request_are_none(web: Served, second: str) -> None:
    headers = f"Host: localhost\r\nAuthorization: Bearer {KEYS['ann']}"

    assert (await raw(web, f"GET /api/me HTTP/1.1\r\n{headers}"))[0] == 200
    assert (await raw(web, f"GET /api/me HTTP/1.1\r\n{headers}\r\nAuthorization: Bearer {second}"))[0] == 401


@pytest.mark.parametrize("path", ["/v1/models", "/v1/responses/x", "/metrics", "/anything"])
async def test_programs_need_a_key_and_a_cookie_is_none(web: Served, path: str) -> None:
    browser = await logged_in(web, "operator")

    assert (await browser.get(path)).status == 401


async def test_a_cookie_does_not_make_up_for_a_wrong_key(web: Served) -> None:
    browser = await logged_in(web)

    assert (await browser.get("/api/me", Authorization="Bearer wrong")).status == 401


async def test_with_a_key_and_a_cookie_the_key_counts(web: Served) -> None:
    browser = await logged_in(web, "ann")

    assert (await browser.get("/api/me", Authorization=f"Bearer {KEYS['bob']}")).json["name"] == "bob"


async def test_a_login_sees_only_what_its_principal_owns(web: Served) -> None:
    of_ann, of_bob = await web.new_session("ann"), await web.new_session("bob")
    browser = Browser(web)
    await browser.log_in(token=await new_token(web, "operator", **{"as": "ann"}))

    assert (await browser.get(f"/api/session?session_id={of_ann}")).status == 200
    assert (await browser.get(f"/api/session?session_id={of_bob}")).status == 404
    assert [row["session_id"] for row in (await browser.get("/api/sessions")).json["sessions"]] == [of_ann]
    stopped = await browser.post("/api/chat/cancel", {"session_id": of_bob})
    assert stopped.status == 404


async def test_only_the_operator_makes_links_for_others(web: Served) -> None:
    for_bob = await web.post("/api/login/link", {"as": "bob"}, "ann")
    for_unknown = await web.post("/api/login/link", {"as": "nobody"}, "operator")

    assert (for_bob.status, for_bob.code) == (403, "forbidden")
    assert (for_unknown.status, for_unknown.code) == (400, "invalid_request")
    assert "ann, bob, operator" in for_unknown.json["error"]["message"]


async def test_the_page_learns_who_is_looking_at_it(guarded: Served) -> None:
    of_ann, of_operator = await logged_in(guarded, "ann"), await logged_in(guarded, "operator")

    assert (await of_ann.get("/api/me")).json == {
        "name": "ann",
        "is_operator": False,
        "host": "machine",
        "version": "1",
        "model": "demo:led",
        "mode": "accept_edits",
        "sandbox": "none",
        "has_password": True,
        "undo_seconds": 30.0,
        "config_file": None,
    }
    shown = (await of_operator.get("/api/me")).json
    assert shown["is_operator"]
    assert shown["config_file"].endswith("config.toml")


async def test_the_page_learns_which_models_there_are(web: Served) -> None:
    browser = await logged_in(web)

    reply = await browser.get("/api/models")

    unknown = dict.fromkeys(("context_window", "max_output", "vision", "input_price", "output_price"))
    assert reply.json == {
        "models": [{"id": "demo:led", "provider": "demo", "name": "led", "facts": "unknown"} | unknown],
        "default": "demo:led",
    }


async def test_the_password_is_the_operators(guarded: Served) -> None:
    browser = Browser(guarded)

    assert (await browser.log_in(password=PASSWORD)).status == 200
    assert (await browser.get("/api/me")).json["name"] == "operator"


async def test_a_wrong_password_is_refused_and_without_one_every_password_is(guarded: Served, web: Served) -> None:
    wrong, unset = await Browser(guarded).log_in(password="wrong"), await Browser(web).log_in(password=PASSWORD)

    assert (wrong.status, wrong.code) == (401, "invalid_password")
    assert (unset.status, unset.code) == (401, "invalid_password")
    assert "wakeful login" in unset.json["error"]["message"]


async def test_after_five_wrong_passwords_even_the_right_one_must_wait(guarded: Served) -> None:
    browser = Browser(guarded)
    wrong = [(await browser.log_in(password=f"guess {number}")).status for number in range(5)]

    right = await browser.log_in(password=PASSWORD)

    assert wrong == [401] * 5
    assert (right.status, right.code) == (429, "too_many_tries")
    assert 0 < int(right.headers["retry-after"]) <= 30


async def test_wrong_tokens_are_limited_and_lock_no_right_one_out(guarded: Served) -> None:
    browser = Browser(guarded)
    wrong = [(await browser.log_in(token=f"guess {number}")).status for number in range(7)]

    right = await browser.log_in(token=await new_token(guarded))

    assert wrong == [401] * 5 + [429] * 2
    assert right.status == 200


@pytest.mark.parametrize(
    "body", [{}, {"token": ""}, {"token": 5}, {"password": None}, {"token": "a", "password": "b"}, [], "text"]
)
async def test_a_login_without_exactly_one_proof_is_refused(web: Served, body: object) -> None:
    reply = await Browser(web).post("/api/login", body)

    assert (reply.status, reply.code) == (400, "invalid_request")


async def test_a_login_that_goes_on_and_on_is_cut_short(web: Served) -> None:
    reply = await Browser(web).post("/api/login", {"token": "x" * 20_000})

    assert (reply.status, reply.code) == (413, "body_too_large")


async def test_while_the_database_is_away_the_page_does_not_lead_to_the_login_page(
    web: Served, store: SqliteStore
) -> None:
    browser = await logged_in(web)
    await store.close()

    replies = [await browser.get(path) for path in ("/", "/api/me")]

    assert [(reply.status, reply.code) for reply in replies] == [(503, "store_unavailable")] * 2


async def test_the_login_page_asks_for_a_password_only_where_there_is_one(guarded: Served, web: Served) -> None:
    asks = [b'type="password"' in (await Browser(server).get("/login")).json for server in (guarded, web)]

    assert asks == [True, False]


async def test_many_wrong_keys_do_not_make_a_right_one_wait(web: Served) -> None:
    """Wrong keys are never delayed, so they leave no state that could delay a right one."""
    wrong = await asyncio.gather(*(web.get("/api/me", "nobody") for _ in range(200)))

    assert {reply.status for reply in wrong} == {401}
    async with asyncio.timeout(0.5):
        assert (await web.get("/api/me", "ann")).status == 200
        assert (await web.get("/api/me", "nobody")).status == 401
