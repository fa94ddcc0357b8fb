"""However busy a server is, or stuck in a transaction: leases, and other reads and writes, go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.store.admin import Admin
from tests.store.nouns import have_session, have_turn
from wakeful.errors import SessionLocked, StoreReadOnly, StoreTooSlow, StoreUnavailable
from wakeful.model.search.search import wanted_in
from wakeful.store.base import Body, Transaction
from wakeful.store.postgres import store as stores
from wakeful.store.postgres.store import PostgresStore


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[PostgresStore]:
    async with _opened(postgres_url) as store:
        yield store


@pytest.fixture
async def other(postgres_url: str) -> AsyncIterator[PostgresStore]:
    async with _opened(postgres_url) as store:
        yield store


async def test_slow_searches_take_neither_the_lease_nor_reads_and_writes(store: PostgresStore, admin: Admin) -> None:
    await have_turn(store)
    await admin.execute("BEGIN", "LOCK TABLE journal")
    searching = asyncio.gather(*(store.search(_search) for _ in range(20)))
    await admin.until_waiting(2)

    async with asyncio.timeout(5):
        await store.write_lease(_renewal_of("node1"))
        await store.read(lambda tx: tx.sessions.get("s1"))
        await store.write(lambda tx: tx.sessions.wake_later("s1", 5.0), lock=["s1"])

    await admin.execute("COMMIT")
    assert await searching == [0] * 20


async def test_a_search_that_takes_too_long_is_dropped(
    postgres_url: str, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(stores.SEARCH_SETTINGS, "statement_timeout", "50ms")
    async with _opened(postgres_url) as store:
        await have_turn(store)
        await admin.execute("BEGIN", "LOCK TABLE journal")

        with pytest.raises(StoreTooSlow, match="took too long"):
            await store.search(_search)

        await admin.execute("COMMIT")
        assert await store.search(_search) == 0


async def test_a_question_for_words_goes_on_when_its_asker_has_gone_and_a_close_waits_for_it(
    postgres_url: str, admin: Admin
) -> None:
    async with _opened(postgres_url) as store:
        await admin.execute("BEGIN", "LOCK TABLE words")
        asking = asyncio.create_task(store.words.read({"s1": (0, 0)}))
        await admin.until_waiting(1)

        asking.cancel()
        await asyncio.wait([asking])
        closing = asyncio.create_task(store.close())

        await admin.until_waiting(1)
        await admin.execute("COMMIT")
        await closing


async def test_writes_that_wait_for_a_session_take_neither_the_lease_nor_reads(
    store: PostgresStore, admin: Admin
) -> None:
    await have_session(store)
    await admin.execute("BEGIN", "SELECT 1 FROM sessions FOR UPDATE")
    waiting = asyncio.gather(*(store.write(_touch, lock=["s1"]) for _ in range(20)))
    await admin.until_waiting(8)

    async with asyncio.timeout(5):
        await store.write_lease(_renewal_of("node1"))
        await store.read(lambda tx: tx.sessions.get("s1"))

    await admin.execute("COMMIT")
    await waiting


async def test_a_write_without_patience_fails_when_the_session_is_locked(
    store: PostgresStore, admin: Admin, caplog: pytest.LogCaptureFixture
) -> None:
    await have_session(store)
    await admin.execute("BEGIN", "SELECT 1 FROM sessions FOR UPDATE")

    with pytest.raises(SessionLocked):
        await store.write(_touch, lock=["s1"], patience=0.01)

    await admin.execute("COMMIT")
    await store.write(_touch, lock=["s1"], patience=0.01)
    # The driver would complain of a connection that is returned in a transaction.
    assert caplog.messages == []


async def test_a_dead_node_that_stands_still_in_a_transaction_is_cut_off(
    store: PostgresStore, other: PostgresStore
) -> None:
    await have_session(store)
    await other.write_lease(_renewal_of("dead", seconds=-1))
    await store.write_lease(_renewal_of("late", seconds=-1))

    async def cut_off(tx: Transaction) -> None:
        # Its own node may be late too, but lives.
        ended = await store.write_lease(lambda tx: tx.nodes.cut_off_dead())
        assert ended == 1
        await store.write(_touch, lock=["s1"])

    with pytest.raises(StoreUnavailable):
        await other.write(cut_off, lock=["s1"])
    # The next write uses another connection.
    await other.write(_touch, lock=["s1"])


async def test_a_node_whose_lease_holds_is_not_cut_off(store: PostgresStore, other: PostgresStore) -> None:
    await other.write_lease(_renewal_of("busy", seconds=60))

    async def busy(tx: Transaction) -> int:
        return await store.write_lease(lambda tx: tx.nodes.cut_off_dead())

    assert await other.write(busy) == 0


async def test_a_node_of_another_user_cannot_be_cut_off(store: PostgresStore, postgres_url: str, admin: Admin) -> None:
    await admin.execute("CREATE ROLE lodger LOGIN")
    schema = await admin.fetchval("SELECT current_schema()")
    await admin.execute(
        f"GRANT ALL ON SCHEMA {schema} TO lodger",
        f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO lodger",
    )
    await store.write_lease(_renewal_of("dead", seconds=-1))
    async with _opened(postgres_url.replace("postgres@", "lodger@")) as lodger:

        async def stand_still(tx: Transaction) -> None:
            await lodger.write_lease(lambda tx: tx.nodes.cut_off_dead())

        with pytest.raises(StoreReadOnly, match="terminate"):
            await store.write(stand_still)


async def test_a_host_that_another_node_has_locked_does_not_hold_up_the_lease(
    store: PostgresStore, other: PostgresStore
) -> None:
    await store.write_lease(_renewal_of("node1"))

    async def renew_and_stand_still(tx: Transaction) -> None:
        await _renewal_of("node1")(tx)
        async with asyncio.timeout(5):
            await other.write_lease(_renewal_of("node2"))

    await store.write_lease(renew_and_stand_still)


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(url)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def _renewal_of(node: str, *, seconds: float = 3) -> Body[None]:
    async def body(tx: Transaction) -> None:
        await tx.nodes.renew(node, await tx.now() + seconds, host="host1")

    return body


async def _search(tx: Transaction) -> int:
    return len(await tx.search.find(None, wanted_in("needle"), 5))


async def _touch(tx: Transaction) -> None:
    await tx.sessions.wake_later("s1", 5.0)
