"""New texts are indexed soon after a commit, and in batches with pauses."""

import asyncio

import pytest

from tests.engine.kit import FakeClock
from tests.engine.test_supervisor import idle
from tests.store.nouns import have_session
from wakeful.engine.upkeep import indexer as indexers
from wakeful.engine.upkeep.indexer import Indexer
from wakeful.store.base import Signal
from wakeful.store.sqlite.store import SqliteStore


async def test_a_commit_asks_for_a_sweep(store: SqliteStore, clock: FakeClock) -> None:
    indexer = Indexer(store, clock)
    assert not indexer.job._changed.is_set()
    store.notifier.publish(Signal(frozenset({"s1"})))
    assert indexer.job._changed.is_set()
    await indexer.job.look()
    assert indexer.job.counts.failures == 0


async def test_a_sweep_goes_on_with_pauses_until_all_is_indexed(
    store: SqliteStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexers, "_BATCH", 2)
    for number in range(5):
        await have_session(store, f"s{number}", title="harbour")
    write, batches = store.write, list[float]()

    async def noting_write(body: object) -> object:
        batches.append(clock.now)
        return await write(body)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "write", noting_write)
    sweep = asyncio.create_task(Indexer(store, clock).sweep())
    async with asyncio.timeout(10):
        while not sweep.done():
            await idle()
            if clock._waiting:
                clock.advance(0.02)
            await asyncio.sleep(0.001)

    assert len(batches) >= 3
    assert len(set(batches)) == len(batches)
    assert not await write(lambda tx: tx.search.index_some(100))
