"""New texts are indexed soon after a commit, and in batches with pauses."""

import pytest

from tests.engine.kit import FakeClock
from tests.store.nouns import have_session
from tests.unit.engine.upkeep.kit import HurriedClock
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
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexers, "_BATCH", 2)
    for number in range(5):
        await have_session(store, f"s{number}", title="harbour")
    clock = HurriedClock()

    await Indexer(store, clock).sweep()

    assert len(clock.waits) >= 2
    assert set(clock.waits) == {0.02}
    assert not await store.write(lambda tx: tx.search.index_some(100))
