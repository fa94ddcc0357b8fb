"""A desk for logins whose time stands still."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.engine.kit import FakeClock
from wakeful.gateway.entrance.logins.desk import LoginDesk
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
async def desk(sqlite_path: Path) -> AsyncIterator[LoginDesk]:
    store = SqliteStore(sqlite_path, FakeClock().time, synchronous="OFF")
    await store.open()
    yield LoginDesk(store, ["operator", "ann"])
    await store.close()
