"""A house on a real SQLite file, for the parts of the engine that need a store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.engine.kit import FakeClock, House, Node
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
async def house(sqlite_path: Path) -> AsyncIterator[House]:
    clock = FakeClock()
    store = SqliteStore(sqlite_path, clock.time, synchronous="OFF")
    await store.open()
    house = House(store, clock)
    yield house
    await house.stop()
    await store.close()


@pytest.fixture
def store(house: House) -> Store:
    return house.store


@pytest.fixture
async def node(house: House) -> Node:
    return await house.start_node()
