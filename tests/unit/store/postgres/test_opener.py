"""Openings of new sessions: they are written in groups, and one that fails or is given up hurts no other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.patience import PATIENCE
from tests.store.nouns import an_opening
from wakeful.errors import StoreUnavailable
from wakeful.store.base import Signal
from wakeful.store.postgres.connection import PostgresConnection, ServerAddress
from wakeful.store.postgres.notifier import PostgresNotifier
from wakeful.store.postgres.opener import Opener
from wakeful.store.postgres.pool import PostgresPool


class AwayPool(PostgresPool):
    """Its server is away."""

    def __init__(self) -> None:
        super().__init__(ServerAddress("postgresql://127.0.0.1:1/x", "wakeful test"), 1)
        self.transactions = 0

    @asynccontextmanager
    async def transaction(self, begin: str) -> AsyncIterator[PostgresConnection]:
        self.transactions += 1
        async with super().transaction(begin) as connection:
            yield connection


@pytest.fixture
async def pool(postgres_url: str) -> AsyncIterator[PostgresPool]:
    pool = PostgresPool(ServerAddress(postgres_url, "wakeful test"), 1)
    await pool.open()
    yield pool
    await pool.close()


def opener_with(pool: PostgresPool) -> Opener:
    return Opener(pool, PostgresNotifier(ServerAddress("postgresql://localhost/x", "wakeful test")))


async def test_a_broken_connection_fails_a_group_at_once_and_each_caller_gets_an_error_of_its_own() -> None:
    pool = AwayPool()
    await pool.open()
    opener = opener_with(pool)

    async with asyncio.timeout(PATIENCE):
        one, two = await asyncio.gather(
            opener.submit(an_opening("a")), opener.submit(an_opening("b")), return_exceptions=True
        )
        await opener.close()

    assert isinstance(one, StoreUnavailable)
    assert isinstance(two, StoreUnavailable)
    assert one is not two
    assert isinstance(one.__cause__, StoreUnavailable)
    assert one.__cause__ is two.__cause__
    # The server may have written them: they are not tried again.
    assert pool.transactions == 1


async def test_an_opening_that_comes_before_the_job_has_begun_is_written_and_signalled(pool: PostgresPool) -> None:
    notifier = PostgresNotifier(ServerAddress("postgresql://localhost/x", "wakeful test"))
    heard: list[Signal] = []
    notifier.listen(heard.append)
    opener = Opener(pool, notifier)

    async with asyncio.timeout(PATIENCE):
        opened = await opener.submit(an_opening("a"))
        await opener.close()

    assert opened.turn.session_id == "session_a"
    assert heard == [Signal(frozenset({"session_a"}), events=tuple(opened.events))]


async def test_a_close_writes_what_is_queued(pool: PostgresPool) -> None:
    opener = opener_with(pool)
    queued = opener.submit(an_opening("a"))

    async with asyncio.timeout(PATIENCE):
        await opener.close()

    assert queued.done()
    assert queued.result().turn.session_id == "session_a"


async def test_a_caller_that_has_gone_hurts_neither_its_group_nor_the_next(pool: PostgresPool) -> None:
    opener = opener_with(pool)
    gone, stays = opener.submit(an_opening("a")), opener.submit(an_opening("b"))
    gone.cancel()

    async with asyncio.timeout(PATIENCE):
        assert (await stays).turn.session_id == "session_b"
        assert (await opener.submit(an_opening("c"))).turn.session_id == "session_c"
        await opener.close()
