"""A pool of connections: a transaction that cannot begin is tried once, and its connection comes back."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest

from tests.patience import PATIENCE
from tests.store.admin import Admin
from wakeful.errors import StoreError, StoreUnavailable
from wakeful.store.postgres.connection import ServerAddress
from wakeful.store.postgres.pool import PostgresPool

BEGIN = "BEGIN"


@asynccontextmanager
async def opened(url: str, size: int = 1, settings: Mapping[str, str] | None = None) -> AsyncIterator[PostgresPool]:
    pool = PostgresPool(ServerAddress(url, "wakeful test"), size, settings)
    await pool.open()
    try:
        yield pool
    finally:
        await pool.close()


@pytest.fixture
async def pool(postgres_url: str) -> AsyncIterator[PostgresPool]:
    async with opened(postgres_url) as pool:
        yield pool


@pytest.fixture
async def admin(postgres_url: str) -> AsyncIterator[Admin]:
    """Has a sequence, which keeps what a rollback undoes elsewhere."""
    async with Admin(postgres_url) as admin:
        await admin.execute("CREATE SEQUENCE tries")
        yield admin
        await admin.execute("DROP SEQUENCE tries")


async def test_a_transaction_that_cannot_begin_is_tried_once_and_its_connection_is_free_again(
    pool: PostgresPool, admin: Admin, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(StoreError, match="division by zero"):
        async with pool.transaction(f"{BEGIN}; SELECT nextval('tries'); SELECT 1/0"):
            pass

    assert await admin.fetchval("SELECT last_value FROM tries") == 1
    async with asyncio.timeout(PATIENCE), pool.transaction(BEGIN) as connection:
        assert await connection.fetchval("SELECT 1") == 1
    # The driver would complain of a connection that is returned in a transaction.
    assert caplog.messages == []


async def test_a_transaction_that_is_left_without_a_commit_is_undone_and_its_connection_is_free_again(
    pool: PostgresPool, caplog: pytest.LogCaptureFixture
) -> None:
    async with pool.transaction(BEGIN) as connection:
        await connection.execute("CREATE TABLE left_over (id TEXT)")

    async with asyncio.timeout(PATIENCE), pool.transaction(BEGIN) as connection:
        assert await connection.fetchval("SELECT to_regclass('left_over')") is None
    assert caplog.messages == []


async def test_a_connection_that_breaks_as_it_begins_is_replaced_once(pool: PostgresPool, admin: Admin) -> None:
    with pytest.raises(StoreUnavailable):
        async with pool.transaction("SELECT nextval('tries'); SELECT pg_terminate_backend(pg_backend_pid())"):
            pass

    assert await admin.fetchval("SELECT last_value FROM tries") == 2


async def test_after_one_connection_has_broken_the_other_idle_ones_are_replaced_too(
    postgres_url: str, admin: Admin
) -> None:
    pid = "SELECT pg_backend_pid()"
    break_once = "SELECT CASE nextval('tries') WHEN 1 THEN pg_terminate_backend(pg_backend_pid()) END; BEGIN"
    async with opened(postgres_url, 2) as pool:
        async with pool.transaction(BEGIN) as one, pool.transaction(BEGIN) as two:
            before = {await one.fetchval(pid), await two.fetchval(pid)}
        async with pool.transaction(break_once) as one:
            assert await one.fetchval("SELECT 1") == 1

        async with pool.transaction(BEGIN) as one, pool.transaction(BEGIN) as two:
            after = {await one.fetchval(pid), await two.fetchval(pid)}
    assert len(before) == len(after) == 2
    assert not before & after


async def test_a_pool_connects_when_it_is_used_and_names_a_server_that_is_away() -> None:
    async with opened("postgresql://127.0.0.1:1/x") as pool:
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            async with pool.transaction(BEGIN):
                pass


async def test_the_settings_of_a_pool_hold_on_its_connections(postgres_url: str) -> None:
    async with opened(postgres_url, settings={"lock_timeout": "123ms"}) as pool, pool.transaction(BEGIN) as connection:
        assert await connection.fetchval("SHOW lock_timeout") == "123ms"
        assert await connection.fetchval("SHOW application_name") == "wakeful test"
        assert await connection.fetchval("SHOW jit") == "off"


async def test_a_closed_pool_has_no_connection_left(postgres_url: str) -> None:
    async with opened(postgres_url) as pool, pool.transaction(BEGIN) as connection:
        pid = await connection.fetchval("SELECT pg_backend_pid()")
    await pool.close()

    with pytest.raises(RuntimeError, match="not open"):
        async with pool.transaction(BEGIN):
            pass
    async with asyncio.timeout(PATIENCE), Admin(postgres_url) as admin:
        while await admin.fetchval("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", pid):
            pass
