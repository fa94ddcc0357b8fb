"""One suite for both stores: a test that asks for `store` runs on SQLite and on PostgreSQL."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.ready_database import ReadyDatabase
from tests.store.admin import Admin
from wakeful.store.base import Signal, Store
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

# Runs a statement on the test's database, bypassing the store.
Sql = Callable[[str], Awaitable[list[tuple[Any, ...]]]]
Meanwhile = Callable[[Coroutine[Any, Any, Any]], Awaitable[None]]


class FakeClock:
    """The store's time, which changes only when a test sets it."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.database: ReadyDatabase | None = None

    def __call__(self) -> float:
        return self.now

    async def set(self, now: float) -> None:
        self.now = now
        if self.database is not None:
            await self.database.set_time(now)


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def new_store(kind: str, request: pytest.FixtureRequest, clock: FakeClock) -> Callable[[], Store]:
    """Makes stores on one database; the caller opens and closes them."""
    if kind == "sqlite":
        path: Path = request.getfixturevalue("sqlite_path")
        return lambda: SqliteStore(path, clock, synchronous="OFF")
    url: str = request.getfixturevalue("postgres_url")
    return lambda: PostgresStore(url)


@pytest.fixture
async def store(
    kind: str, request: pytest.FixtureRequest, new_store: Callable[[], Store], clock: FakeClock
) -> AsyncIterator[Store]:
    store = new_store()
    await store.open()
    if kind == "postgres":
        clock.database = request.getfixturevalue("ready_database")
        await clock.set(clock.now)
    yield store
    await store.close()


@pytest.fixture
def signals(store: Store) -> list[Signal]:
    """The signals of the store so far."""
    heard: list[Signal] = []
    store.notifier.listen(heard.append)
    return heard


@pytest.fixture
async def meanwhile(kind: str) -> Meanwhile:
    """Runs something else to its end while a body waits."""
    loop = asyncio.get_running_loop()

    async def on_the_loop(work: Coroutine[Any, Any, Any]) -> None:
        await work

    async def from_a_thread(work: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(timeout=10)

    return from_a_thread if kind == "sqlite" else on_the_loop


@pytest.fixture
def sql(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Sql:
    async def of_file(statement: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(tmp_path / "wakeful.db", isolation_level=None)) as connection:
            return connection.execute(statement).fetchall()

    async def of_server(statement: str) -> list[tuple[Any, ...]]:
        async with Admin(request.getfixturevalue("postgres_url")) as admin:
            return [tuple(row) for row in await admin.fetch(statement)]

    return of_file if kind == "sqlite" else of_server


@pytest.fixture
async def admin(postgres_url: str) -> AsyncIterator[Admin]:
    async with Admin(postgres_url) as admin:
        yield admin
