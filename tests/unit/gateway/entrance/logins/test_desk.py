"""The desk that logs browsers in: whom it lets in, for how long, and whose connections it cuts."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from wakeful.gateway.entrance.logins.desk import LoginDesk, LoginLinks, TokenInvalid, TokenUsed, Visitor
from wakeful.gateway.entrance.logins.open_connections import OpenConnections
from wakeful.gateway.entrance.logins.seal import end_outdated_logins, seals_of
from wakeful.gateway.entrance.origin import is_foreign_write, is_own_write
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.store.sqlite.store import SqliteStore
from wakeful.wire.sse import TRANSPORT

HOUR, DAY = 3600.0, 86_400.0
BROWSER = Visitor("Firefox", "10.0.0.1")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(sqlite_path: Path, clock: FakeClock) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(sqlite_path, clock.time, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def desk(store: SqliteStore) -> LoginDesk:
    return LoginDesk(store, ["operator", "ann"])


async def test_a_ticket_is_good_once_within_an_hour(desk: LoginDesk, clock: FakeClock) -> None:
    first, second = await desk.new_ticket("ann"), await desk.new_ticket("ann")
    clock.advance(HOUR - 1)

    login = await desk.login_of(await desk.redeem(first, BROWSER))
    assert login is not None
    assert (login.principal, login.browser, login.address) == ("ann", "Firefox", "10.0.0.1")
    with pytest.raises(TokenUsed):
        await desk.redeem(first, BROWSER)
    clock.advance(1)
    for token in (second, "made up"):
        with pytest.raises(TokenInvalid):
            await desk.redeem(token, BROWSER)


async def test_who_has_no_key_any_more_is_out(desk: LoginDesk, store: SqliteStore) -> None:
    token, secret = await desk.new_ticket("ann"), await desk.log_in("ann", BROWSER)
    others = LoginDesk(store, ["operator"])

    with pytest.raises(TokenInvalid):
        await others.redeem(token, BROWSER)
    assert await others.login_of(secret) is None
    assert await others.logins("ann") == await others.logins(None) == []
    assert await desk.login_of(secret) is not None


async def test_a_login_lasts_thirty_days_after_its_last_use(desk: LoginDesk, clock: FakeClock) -> None:
    secret = await desk.log_in("ann", BROWSER)
    assert await desk.login_of("another") is None
    for _ in range(3):
        clock.advance(30 * DAY - 1)
        assert await desk.login_of(secret) is not None
    clock.advance(30 * DAY)

    assert await desk.login_of(secret) is None


@pytest.mark.parametrize(("seconds", "is_written"), [(299.0, False), (300.0, True)])
async def test_its_use_is_written_every_five_minutes(
    desk: LoginDesk, clock: FakeClock, seconds: float, is_written: bool
) -> None:
    secret = await desk.log_in("ann", BROWSER)
    begun = clock.time()
    clock.advance(seconds)
    await desk.login_of(secret)

    (login,) = await desk.logins("ann")
    used = begun + seconds * is_written
    assert (login.used_at, login.expires_at) == (used, used + 30 * DAY)


async def test_each_principal_has_a_list_of_its_own_and_what_ends_is_gone(desk: LoginDesk, clock: FakeClock) -> None:
    hers, his = await desk.log_in("ann", BROWSER), await desk.log_in("operator", BROWSER)
    assert [login.principal for login in await desk.logins("ann")] == ["ann"]
    assert {login.principal for login in await desk.logins(None)} == {"ann", "operator"}

    await desk.log_out(hers)

    assert (await desk.login_of(hers), await desk.logins("ann")) == (None, [])
    assert await desk.login_of(his) is not None
    clock.advance(30 * DAY)
    assert await desk.logins(None) == []


async def test_what_has_expired_is_forgotten_at_the_next_login(
    desk: LoginDesk, store: SqliteStore, clock: FakeClock
) -> None:
    await desk.new_ticket("ann")
    await desk.log_in("ann", BROWSER)
    clock.advance(30 * DAY)
    await desk.log_in("operator", BROWSER)

    left = await store.read(lambda tx: tx.logins.page(None, 10))
    assert [login.principal for login in left] == ["operator"]


async def test_a_link_has_its_token_where_browsers_never_send_it(desk: LoginDesk) -> None:
    link = await LoginLinks(desk, "https://wakeful.example.org").new("ann")

    assert link is not None
    address, _, token = link.partition("#token=")
    assert address == "https://wakeful.example.org/login"
    assert (await desk.login_of(await desk.redeem(token, BROWSER))) is not None
    assert await LoginLinks(desk, "").new("ann") is None


class Connection:
    is_cut = False

    def abort(self) -> None:
        self.is_cut = True


def scope_of(connection: Connection) -> dict[str, Any]:
    return {"extensions": {TRANSPORT: connection}}


async def test_the_connections_of_a_login_are_cut_when_it_ends_here_or_elsewhere(
    desk: LoginDesk, store: SqliteStore, clock: FakeClock
) -> None:
    secrets = [await desk.log_in("ann", BROWSER) for _ in range(3)]
    logins = [login for secret in secrets if (login := await desk.login_of(secret)) is not None]
    here, elsewhere, kept = Connection(), Connection(), Connection()
    tracked = desk.connections.tracked
    with (
        tracked(logins[0].digest, scope_of(here)),
        tracked(logins[1].digest, scope_of(elsewhere)),
        tracked(logins[2].digest, scope_of(kept)),
    ):
        await desk.log_out(secrets[0])
        assert (here.is_cut, elsewhere.is_cut, kept.is_cut) == (True, False, False)
        await LoginDesk(store, desk.names).end(logins[1].digest)
        assert not elsewhere.is_cut
        assert await desk.check_connections() == 5.0
        assert (elsewhere.is_cut, kept.is_cut) == (True, False)
        clock.advance(31 * DAY)
        await desk.check_connections()
        assert kept.is_cut
    assert desk.connections.logins() == []


async def test_a_login_is_gone_before_its_connections_are_cut(
    desk: LoginDesk, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = await desk.log_in("ann", BROWSER)
    login = await desk.login_of(secret)
    assert login is not None
    written, write = [], store.write

    async def note(*given: Any, **how: Any) -> Any:
        done = await write(*given, **how)
        written.append("gone")
        return done

    class Reconnecting(Connection):
        def abort(self) -> None:
            written.append("cut")

    monkeypatch.setattr(store, "write", note)
    with desk.connections.tracked(login.digest, scope_of(Reconnecting())):
        await desk.log_out(secret)

    assert written == ["gone", "cut"], "or the browser would be let in again"


def test_a_connection_is_known_while_one_of_its_requests_runs() -> None:
    connections, first, second = OpenConnections(), Connection(), Connection()
    with connections.tracked("a", scope_of(first)):
        with connections.tracked("a", scope_of(second)), connections.tracked("b", {}):
            assert connections.logins() == ["a"]
        assert connections.logins() == ["a"]
        connections.cut("a")
        connections.cut("none")
    assert (first.is_cut, second.is_cut, connections.logins()) == (True, False, [])


async def test_a_new_credential_ends_what_was_made_with_the_old_one(desk: LoginDesk, store: SqliteStore) -> None:
    async def start(home: str = "/home", **changes: Any) -> set[str]:
        given: dict[str, Any] = {"key": "k", "password": "p", "api_keys": {"ann": "a", "bob": "b"}} | changes
        await end_outdated_logins(store, home, seals_of(**given, operator="operator"), operator="operator")
        return {login.principal for login in await store.read(lambda tx: tx.logins.page(None, 10))}

    async def log_in() -> None:
        for name in ("operator", "ann", "bob"):
            await desk.log_in(name, BROWSER)

    everybody = {"operator", "ann", "bob"}
    await log_in()
    assert await start() == await start() == everybody, "the first start knows no older ones"
    assert await start(api_keys={"ann": "new", "bob": "b"}) == {"operator", "bob"}
    await log_in()
    assert await start(api_keys={"ann": "new", "bob": "b"}) == everybody, "the change is known now"
    assert await start("/other", key="other") == everybody, "another home has a key of its own"
    assert await start(password="new", api_keys={"ann": "new", "bob": "b"}) == set()


@pytest.mark.parametrize(
    ("headers", "is_own", "is_foreign"),
    [
        ([], False, False),
        ([("origin", "http://localhost:8787")], True, False),
        ([("origin", "https://evil.example")], False, True),
        ([("origin", "http://localhost:8787"), ("origin", "http://localhost:8787")], False, True),
        ([("sec-fetch-site", "same-origin")], True, False),
        ([("sec-fetch-site", "cross-site")], False, True),
        ([("sec-fetch-site", "same-origin"), ("origin", "https://evil.example")], False, True),
    ],
)
def test_a_write_is_our_own_only_if_the_browser_says_so(
    headers: list[tuple[str, str]], is_own: bool, is_foreign: bool
) -> None:
    given = [(b"host", b"localhost:8787"), *((name.encode(), value.encode()) for name, value in headers)]
    scope = {"type": "http", "headers": given}

    assert is_own_write(scope, OwnAddress()) is is_own
    assert is_foreign_write(scope, OwnAddress()) is is_foreign
