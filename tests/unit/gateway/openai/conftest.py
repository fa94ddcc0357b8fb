"""One place for the tests that go through the routes."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.unit.gateway.openai.served import Place, served
from wakeful.engine.readers import broadcaster, followed
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        # So few that these short logs have many pages, and more than a tail.
        patch.setattr(broadcaster, "_PAGE", 3)
        patch.setattr(followed, "_TAIL", 5)
        store = SqliteStore(tmp_path_factory.mktemp("cut") / "wakeful.db", lambda: 1_700_000_000.0)
        runner.run(store.open())
        yield runner.run(served(runner, store))
        runner.run(store.close())
