"""The fixtures and options that all tests share."""

import gc
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.postgres_server import PostgresServer
from tests.ready_database import ReadyDatabase, put_sqlite_file
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore

# What pytest-timeout was told about a test.
_TIMER = pytest.StashKey[object]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the long-running tests too")
    parser.addoption("--seed", type=int, help="repeat a storm that has printed this seed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        return
    # Deselected, not skipped: a skip in the report should mean that something is missing.
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("soak")])
    items[:] = [item for item in items if not item.get_closest_marker("soak")]


def pytest_collection_finish() -> None:
    """Let the garbage collector skip the modules and the collected tests, which stay to the end, and run less often."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: object) -> None:
    item.stash[_TIMER] = settings


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a second try, too, take no longer than it may: pytest-timeout sets its timer only before the first."""
    if getattr(item, "execution_count", 1) > 1 and _TIMER in item.stash:
        item.config.hook.pytest_timeout_set_timer(item=item, settings=item.stash[_TIMER])


@pytest.fixture(scope="session")
def soak(pytestconfig: pytest.Config) -> bool:
    """Whether --soak was given: a test may then do more of the same."""
    return bool(pytestconfig.getoption("--soak"))


@pytest.fixture
def seed(pytestconfig: pytest.Config) -> int:
    """What leads the chance of a storm: another one in each run, unless --seed was given."""
    given: int | None = pytestconfig.getoption("--seed")
    return int.from_bytes(os.urandom(4)) if given is None else given


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    """A database file with all tables and no rows."""
    path = tmp_path / "wakeful.db"
    put_sqlite_file(path)
    return path


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[Store]:
    """An open store, for tests that need any. A folder whose tests run on both stores has a fixture of its own."""
    store = SqliteStore(sqlite_path, time.time, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for each process of the test run, started by the first test that asks for it."""
    with PostgresServer() as server:
        yield server


@pytest.fixture(scope="session")
def ready_database(postgres_server: PostgresServer) -> Iterator[ReadyDatabase]:
    with closing(ReadyDatabase(postgres_server)) as database:
        yield database


@pytest.fixture
def postgres_url(ready_database: ReadyDatabase) -> str:
    """A database with all tables and no rows, for this test alone."""
    return ready_database.emptied()


@pytest.fixture
def bare_postgres_url(postgres_server: PostgresServer) -> str:
    """A schema without tables, for this test alone. It is removed with the server, not with the test."""
    # The previous test may have stopped it.
    postgres_server.start()
    return postgres_server.create_schema()
