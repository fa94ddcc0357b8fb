"""A store for each test, of both kinds."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from wakeful.store.base import Store
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    if request.param == "sqlite":
        path: Path = request.getfixturevalue("sqlite_path")
        store: Store = SqliteStore(path, time.time, synchronous="OFF")
    else:
        store = PostgresStore(request.getfixturevalue("postgres_url"))
    await store.open()
    yield store
    await store.close()
