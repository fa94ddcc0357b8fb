"""The API over one store, for the tests that go through the routes."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.ready_database import put_sqlite_file
from tests.unit.gateway.openai.served import ServedApi, served
from wakeful.engine.readers import broadcaster, followed
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture(scope="module")
def served_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApi]:
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        # Small, so that short logs have many pages and exceed the tail.
        patch.setattr(broadcaster, "_PAGE", 3)
        patch.setattr(followed, "_TAIL", 5)
        path = tmp_path_factory.mktemp("cut") / "wakeful.db"
        put_sqlite_file(path)
        store = SqliteStore(path, lambda: 1_700_000_000.0, synchronous="OFF")
        runner.run(store.open())
        yield runner.run(served(runner, store))
        runner.run(store.close())
