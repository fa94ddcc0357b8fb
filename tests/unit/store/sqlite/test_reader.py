"""The threads that read a SQLite file."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.store.nouns import a_session, have_session
from wakeful.errors import StoreError
from wakeful.model.session import Session
from wakeful.store.base import Transaction
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(sqlite_path, lambda: 1_000.0, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


@pytest.mark.parametrize("which", ["read", "search"])
async def test_a_close_waits_for_reads_that_are_under_way_or_queued(store: SqliteStore, which: str) -> None:
    await have_session(store)
    has_begun, may_go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    async def slow(tx: Transaction) -> Session | None:
        loop.call_soon_threadsafe(has_begun.set)
        assert may_go_on.wait(PATIENCE)
        return await tx.sessions.get("s1")

    ask = store.read if which == "read" else store.search
    slow_one = asyncio.create_task(ask(slow))
    await has_begun.wait()
    queued = asyncio.create_task(ask(lambda tx: tx.sessions.get("s1")))
    await asyncio.sleep(0)
    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    may_go_on.set()

    assert await slow_one == await queued == a_session()
    await closing


async def test_many_reads_at_once_get_their_own_answers_and_one_that_fails_fails_alone(store: SqliteStore) -> None:
    for number in range(3):
        await have_session(store, f"s{number}")

    async def fail(tx: Transaction) -> Session | None:
        await tx.sessions.get("s1")
        raise KeyError("mine")

    async def spoil(tx: Transaction) -> Session | None:
        await tx.sessions.wake_later("s1", 5.0)
        return None

    reads = [store.read(lambda tx, n=number: tx.sessions.get(f"s{n % 3}")) for number in range(80)]  # type: ignore[misc]
    *found, failed, spoilt = await asyncio.gather(*reads, store.read(fail), store.read(spoil), return_exceptions=True)

    assert found == [a_session(f"s{number % 3}") for number in range(80)]
    assert isinstance(failed, KeyError)
    assert isinstance(spoilt, StoreError)
