"""A house on a real SQLite file, and one on a real PostgreSQL server: every test runs in both."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.engine.kit import FakeClock, House, Node
from tests.ready_database import ReadyDatabase
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest) -> AsyncIterator[House]:
    clock = FakeClock()
    async with AsyncExitStack() as ending:
        if request.param == "sqlite":
            path: Path = request.getfixturevalue("sqlite_path")
            sqlite = SqliteStore(path, clock.time, synchronous="OFF")
            ending.push_async_callback(sqlite.close)
            await sqlite.open()
            house = House(sqlite, clock)
        else:
            url: str = request.getfixturevalue("postgres_url")
            postgres = PostgresStore(url)
            ending.push_async_callback(postgres.close)
            await postgres.open()
            database: ReadyDatabase = request.getfixturevalue("ready_database")
            house = House(postgres, clock, set_store_time=database.set_time)
            await house.advance(0)
        ending.push_async_callback(house.stop)
        yield house


@pytest.fixture
async def couple(postgres_url: str, ready_database: ReadyDatabase) -> AsyncIterator[tuple[House, Node, Node]]:
    """Two nodes that know of each other only through a PostgreSQL server."""
    clock = FakeClock()
    async with AsyncExitStack() as ending:
        stores = PostgresStore(postgres_url), PostgresStore(postgres_url)
        for store in stores:
            ending.push_async_callback(store.close)
            await store.open()
        house = House(stores[0], clock, set_store_time=ready_database.set_time)
        await house.advance(0)
        ending.push_async_callback(house.stop)
        yield house, await house.start_node(), await house.start_node(store=stores[1])


@pytest.fixture
async def node(house: House) -> Node:
    return await house.start_node()
