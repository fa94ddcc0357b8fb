"""A house with one node, on a real SQLite file and on a real PostgreSQL server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.engine.kit import FakeClock, House, Node
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Store]:
    store = SqliteStore(tmp_path / "wakeful.db", clock.time, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def house(store: Store, clock: FakeClock) -> AsyncIterator[House]:
    house = House(store, clock)
    yield house
    await house.stop()


@pytest.fixture
async def node(house: House) -> Node:
    return await house.start_node()
