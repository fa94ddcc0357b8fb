"""The API over one store, for the tests that go through the routes."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.unit.gateway.openai.served import ServedApi, served
from wakeful.engine.readers import broadcaster, followed
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture(scope="module")
def served_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApi]:
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        # Small, so that short logs have many pages and exceed the tail.
        patch.setattr(broadcaster, "_PAGE", 3)
        patch.setattr(followed, "_TAIL", 5)
        store = SqliteStore(tmp_path_factory.mktemp("cut") / "wakeful.db", lambda: 1_700_000_000.0)
        runner.run(store.open())
        yield runner.run(served(runner, store))
        runner.run(store.close())
