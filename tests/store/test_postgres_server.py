"""What can be wrong with the server: away, unwilling, restarted, or stuck; and what its address must not tell."""

import asyncio
import traceback
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from asyncpg import exceptions

from tests.postgres_server import PostgresServer
from tests.store.admin import Admin
from tests.store.nouns import a_session, a_turn, append, have_session, have_turn, some_events
from wakeful.errors import StoreError, StoreFull, StoreReadOnly, StoreUnavailable
from wakeful.model.opening import Opening
from wakeful.store.base import Signal, Transaction
from wakeful.store.postgres import connection as connections
from wakeful.store.postgres import pool as pools
from wakeful.store.postgres.connection import PostgresConnection, ServerAddress, describe, translate
from wakeful.store.postgres.pool import PostgresPool
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.postgres.transaction import WRITE


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(postgres_url)
    await store.open()
    yield store
    await store.close()


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("postgresql://user:secret@127.0.0.1:1/agents", '"agents" at 127.0.0.1:1 cannot be reached'),
        ("postgresql://user:secret@/agents?host=/nowhere", '"agents" at /nowhere cannot be reached'),
        ("postgresql://user:secret@nowhere.invalid/agents", '"agents" at nowhere.invalid cannot be reached'),
        ("postgresql://user:sec/secret@host/agents", "address of the PostgreSQL database cannot be read"),
        ("postgresql://user:secret@host:secret/agents", "address of the PostgreSQL database cannot be read"),
    ],
)
async def test_a_server_that_cannot_be_reached_is_named_without_the_password(url: str, where: str) -> None:
    store = PostgresStore(url)

    with pytest.raises(StoreUnavailable, match=where) as caught:
        await store.open()

    assert "secret" not in "".join(traceback.format_exception(caught.value))
    await store.close()


async def test_a_wrong_password_is_named_and_not_shown(
    postgres_server: PostgresServer, bare_postgres_url: str, admin: Admin
) -> None:
    await admin.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    rules = Path(await admin.fetchval("SHOW hba_file"))
    rules.write_text(f"local all guarded scram-sha-256\n{rules.read_text()}")
    postgres_server.restart()

    with pytest.raises(StoreUnavailable, match=r'"postgres" at .*password authentication failed') as caught:
        await PostgresStore(_with_user(bare_postgres_url, "guarded:secret")).open()

    assert "secret" not in str(caught.value)
    assert "WAKEFUL_DATABASE_URL" in str(caught.value)


async def test_a_database_that_is_not_there_is_named(bare_postgres_url: str) -> None:
    with pytest.raises(StoreUnavailable, match=r'"elsewhere" at .* does not exist'):
        await PostgresStore(bare_postgres_url.replace("/postgres?", "/elsewhere?")).open()


async def test_a_schema_without_rights_is_named(bare_postgres_url: str) -> None:
    guest = PostgresStore(_with_user(bare_postgres_url, "guest"))
    async with Admin(bare_postgres_url) as admin:
        await admin.execute("CREATE ROLE guest LOGIN")

        with pytest.raises(StoreReadOnly, match=r'"postgres" at .*cannot be written \(no schema'):
            await guest.open()
        schema = await admin.fetchval("SELECT current_schema()")
        await admin.execute(f"GRANT USAGE ON SCHEMA {schema} TO guest")
    with pytest.raises(StoreReadOnly, match=r'"postgres" at .*cannot be written \(permission denied'):
        await guest.open()


async def test_a_database_for_reading_only_is_named(store: PostgresStore, postgres_url: str) -> None:
    with pytest.raises(StoreReadOnly, match="cannot be written"):
        await PostgresStore(f"{postgres_url}&default_transaction_read_only=on").open()


@pytest.mark.parametrize("how", ["restart", "crash"])
async def test_a_restart_of_the_server_is_survived(
    store: PostgresStore, postgres_server: PostgresServer, how: str
) -> None:
    lease = await have_turn(store)
    # Several connections lie idle when the server goes.
    await asyncio.gather(*(store.read(lambda tx: tx.sessions.get("s1")) for _ in range(5)))

    if how == "crash":
        postgres_server.crash()
    postgres_server.restart()

    assert len(await append(store, lease, some_events(1))) == 1
    assert await store.write(lambda tx: tx.sessions.create_if_absent(a_session("s2")))
    assert await store.read(lambda tx: tx.sessions.get("s2")) is not None


async def test_every_call_fails_clearly_while_the_server_is_away_and_works_when_it_is_back(
    store: PostgresStore, postgres_server: PostgresServer
) -> None:
    lease = await have_turn(store)
    postgres_server.stop()

    results = await asyncio.gather(
        append(store, lease, some_events(1)),
        append(store, lease, some_events(1)),
        store.write(lambda tx: tx.sessions.get("s1"), lock=["s1"]),
        store.read(lambda tx: tx.sessions.get("s1")),
        return_exceptions=True,
    )
    postgres_server.start()

    assert [type(result) for result in results] == [StoreUnavailable] * 4
    assert len(await append(store, lease, some_events(1))) == 1
    assert await store.read(lambda tx: tx.sessions.get("s1")) is not None


async def test_a_store_is_closed_even_when_its_server_is_away(
    store: PostgresStore, postgres_server: PostgresServer
) -> None:
    await have_session(store)
    postgres_server.stop()

    await store.close()


async def test_a_pool_is_closed_even_when_a_transaction_does_not_end(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_CLOSE_SECONDS", 0.01)
    pool = PostgresPool(ServerAddress(postgres_url, "wakeful pool"), 1)
    await pool.open()

    async with pool.transaction(WRITE) as connection:
        await pool.close()
        with pytest.raises(StoreUnavailable):
            await connection.execute("SELECT 1")
    with pytest.raises(RuntimeError, match="not open"):
        async with pool.transaction(WRITE):
            pass


async def test_a_connection_that_cannot_be_rolled_back_is_ended() -> None:
    driver = _Stuck()

    await PostgresConnection(driver, "The database").undo()  # type: ignore[arg-type]

    assert driver.is_closed()


class _Stuck:
    """A connection in a transaction to a server that no longer answers."""

    _is_closed = False

    def is_closed(self) -> bool:
        return self._is_closed

    def is_in_transaction(self) -> bool:
        return True

    async def execute(self, _: str) -> str:
        raise TimeoutError

    def terminate(self) -> None:
        self._is_closed = True


async def test_a_connection_lost_in_the_middle_undoes_the_write_and_is_replaced(
    store: PostgresStore, admin: Admin
) -> None:
    await have_session(store)

    async def body(tx: Transaction) -> None:
        await tx.sessions.wake_later("s1", 5.0)
        await admin.end_transactions()
        await tx.sessions.wake_later("s1", 6.0)

    with pytest.raises(StoreUnavailable):
        await store.write(body, lock=["s1"])

    session = await store.write(lambda tx: tx.sessions.get("s1"), lock=["s1"])
    assert session is not None
    assert session.wake_at is None


async def test_a_commit_with_an_unknown_outcome_makes_all_listeners_look(store: PostgresStore, admin: Admin) -> None:
    await have_session(store)
    signals: list[Signal] = []
    store.notifier.listen(signals.append)

    async def body(tx: Transaction) -> None:
        await tx.events.append("s1", None, some_events(1))
        await admin.end_transactions()

    with pytest.raises(StoreUnavailable):
        await store.write(body, lock=["s1"])

    assert signals == [Signal(frozenset(), is_everything=True)]


async def test_a_read_that_is_given_up_at_any_moment_leaves_no_transaction_behind(
    store: PostgresStore, caplog: pytest.LogCaptureFixture
) -> None:
    await store.words.read({"s1": (0, 0)})
    for passes in range(30):
        reading = asyncio.ensure_future(store.words.read({"s1": (0, 0)}))
        for _ in range(passes):
            await asyncio.sleep(0)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)

    assert caplog.messages == []
    assert await store.words.read({"s1": (0, 0)}) == []


async def test_a_failed_statement_cannot_be_swallowed(store: PostgresStore) -> None:
    async def body(tx: Transaction) -> None:
        await tx.sessions.create_if_absent(a_session())
        with suppress(StoreError):
            await tx.open(Opening(a_turn(parent="missing")))

    with pytest.raises(StoreError, match="transaction was rolled back"):
        await store.write(body)

    assert await store.read(lambda tx: tx.sessions.get("s1")) is None
    # What was not committed is not counted as a commit.
    assert store.stats.commit_seconds.count == 0


async def test_a_node_that_stands_still_in_a_transaction_loses_its_locks(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connections.SERVER_SETTINGS, "idle_in_transaction_session_timeout", "100ms")
    still, lively = PostgresStore(postgres_url), PostgresStore(postgres_url)
    await still.open()
    await lively.open()
    await have_session(still)
    is_still, other_is_done = asyncio.Event(), asyncio.Event()

    async def stand_still(tx: Transaction) -> None:
        await tx.sessions.wake_later("s1", 5.0)
        is_still.set()
        await asyncio.wait_for(other_is_done.wait(), 20)
        await tx.sessions.wake_later("s1", 6.0)

    standing = asyncio.ensure_future(still.write(stand_still, lock=["s1"]))
    await is_still.wait()
    session = await lively.write(lambda tx: tx.sessions.get("s1"), lock=["s1"])
    other_is_done.set()

    with pytest.raises(StoreUnavailable):
        await standing
    assert session is not None
    assert session.wake_at is None
    await still.close()
    await lively.close()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.DiskFullError("could not extend file"), StoreFull),
        (exceptions.TooManyConnectionsError("sorry, too many clients already"), StoreUnavailable),
        (exceptions.CannotConnectNowError("the database system is starting up"), StoreUnavailable),
        (exceptions.ReadOnlySQLTransactionError("cannot execute INSERT"), StoreReadOnly),
        (TimeoutError(), StoreUnavailable),
        (exceptions.DeadlockDetectedError("deadlock detected"), StoreError),
    ],
)
def test_errors_of_the_server_become_ours(error: Exception, kind: type[StoreError]) -> None:
    translated = translate(error, 'The PostgreSQL database "agents" at host')

    assert type(translated) is kind
    assert str(translated).startswith('The PostgreSQL database "agents" at host')


@pytest.mark.parametrize(
    ("url", "description"),
    [
        ("postgresql://u:p@db.example:5433/agents", '"agents" at db.example:5433'),
        ("postgres://u@/agents?host=/run/pg&password=p", '"agents" at /run/pg'),
        ("postgresql://u:p/p@p?p#p@db/agents", '"agents" at db'),
        ("postgresql:///agents", '"agents" at localhost'),
    ],
)
def test_a_description_holds_no_password(url: str, description: str) -> None:
    assert describe(url) == f"The PostgreSQL database {description}"


def _with_user(url: str, user: str) -> str:
    return url.replace("postgres@", f"{user}@")
