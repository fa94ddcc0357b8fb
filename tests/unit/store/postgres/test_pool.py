"""A pool of connections: a transaction that cannot begin is tried once, and its connection comes back."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.patience import PATIENCE
from tests.store.admin import Admin
from wakeful.errors import StoreError
from wakeful.store.postgres.connection import ServerAddress
from wakeful.store.postgres.pool import PostgresPool

BEGIN = "BEGIN"


@pytest.fixture
async def pool(postgres_url: str) -> AsyncIterator[PostgresPool]:
    pool = PostgresPool(ServerAddress(postgres_url, "wakeful test"), 1)
    await pool.open()
    yield pool
    await pool.close()


async def test_a_transaction_that_cannot_begin_is_tried_once_and_its_connection_is_free_again(
    pool: PostgresPool, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Admin(postgres_url) as admin:
        await admin.execute("CREATE SEQUENCE tries")
        with pytest.raises(StoreError, match="division by zero"):
            # The sequence keeps what a rollback undoes elsewhere.
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
