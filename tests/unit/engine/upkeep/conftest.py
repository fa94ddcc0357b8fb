"""A SQLite file whose time passes only when a test says so."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.engine.kit import FakeClock
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(sqlite_path: Path, clock: FakeClock) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(sqlite_path, clock.time, synchronous="OFF")
    await store.open()
    yield store
    await store.close()
