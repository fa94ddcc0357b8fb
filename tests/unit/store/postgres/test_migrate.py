"""Migrations of a PostgreSQL schema: one node at a time, and each whole or not at all."""

import asyncio

import pytest

from tests.patience import PATIENCE
from tests.store.admin import Admin
from wakeful.errors import StoreError
from wakeful.store.postgres import migrate
from wakeful.store.postgres.store import PostgresStore


async def test_a_migration_whose_number_cannot_be_written_leaves_no_trace(bare_postgres_url: str) -> None:
    async with Admin(bare_postgres_url) as admin:
        await admin.execute("CREATE TABLE wakeful_schema (version INTEGER PRIMARY KEY CHECK (version <> 1))")

        with pytest.raises(StoreError, match="version"):
            await PostgresStore(bare_postgres_url).open()

        assert await admin.fetchval("SELECT to_regclass('sessions')") is None


async def test_a_node_touches_nothing_while_another_one_migrates(bare_postgres_url: str) -> None:
    store = PostgresStore(bare_postgres_url)
    async with asyncio.timeout(PATIENCE), Admin(bare_postgres_url) as admin:
        await admin.execute(f"SELECT pg_advisory_lock({migrate._LOCK})")
        opening = asyncio.create_task(store.open())
        await admin.until_waiting(1)

        assert await admin.fetchval("SELECT to_regclass('wakeful_schema')") is None
        await admin.execute(f"SELECT pg_advisory_unlock({migrate._LOCK})")
        await opening
    await store.close()
