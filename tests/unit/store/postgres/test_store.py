"""A PostgreSQL store as a whole: what it counts, and what it can be shared for."""

from contextlib import suppress

import pytest

from tests.store.nouns import a_session, a_turn, have_session
from wakeful.errors import StoreError
from wakeful.model.opening import Opening
from wakeful.store.base import Transaction
from wakeful.store.postgres.store import PostgresStore


async def test_only_what_was_committed_is_counted_as_a_commit(store: PostgresStore) -> None:
    async def swallow(tx: Transaction) -> None:
        await tx.sessions.create_if_absent(a_session())
        with suppress(StoreError):
            await tx.open(Opening(a_turn(parent="missing")))

    with pytest.raises(StoreError, match="transaction was rolled back"):
        await store.write(swallow)
    assert (store.stats.commit_seconds.count, store.stats.queue) == (0, 0)
    assert store.stats.seconds_since_success is None

    await have_session(store)
    assert (store.stats.commit_seconds.count, store.stats.group_sizes.count, store.stats.queue) == (1, 1, 0)
    assert store.stats.seconds_since_success is not None


async def test_several_processes_share_the_database_and_their_words(store: PostgresStore) -> None:
    assert not store.is_exclusive
    assert await store.words.read({"s1": (0, 0)}) == []
