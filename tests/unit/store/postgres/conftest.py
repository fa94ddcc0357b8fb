"""A store on a PostgreSQL server."""

from collections.abc import AsyncIterator

import pytest

from wakeful.store.postgres.store import PostgresStore


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(postgres_url)
    await store.open()
    yield store
    await store.close()
