"""The race that loses wake-ups on PostgreSQL: a message arrives between a close's look at the inbox and its commit.

Two connections, step by step, without luck. The second test shows that the first can fail: without the lock on
the session's row, taken first and in a statement of its own, the message is lost.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.bare_engine import bare_engine
from tests.engine.kit import HOME, WEB, FakeClock, LedAgent
from tests.store.admin import Admin
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.settings import EngineSettings
from wakeful.engine.words.words import LiveWords
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Transaction
from wakeful.store.postgres import store as postgres_store
from wakeful.store.postgres.store import PostgresStore

Scene = tuple[PostgresStore, Engine, Admin]


@pytest.fixture
async def scene(postgres_url: str) -> AsyncIterator[Scene]:
    """One node's store, another node's engine, and a connection that watches the server."""
    async with AsyncExitStack() as ending:
        stores = PostgresStore(postgres_url), PostgresStore(postgres_url)
        for store in stores:
            ending.push_async_callback(store.close)
            await store.open()
        engine = bare_engine(stores[1], LedAgent(), FakeClock(), EngineSettings(stop_grace_seconds=0))
        ending.push_async_callback(engine.stop)
        yield stores[0], engine, await ending.enter_async_context(Admin(postgres_url))


async def close_with_a_pause(
    store: PostgresStore, session_id: str, looked: asyncio.Event, go_on: asyncio.Event
) -> None:
    """Close a turn as its node would, and pause between the read of pending rows and the commit."""
    closing = Dispatcher("node_closing", EngineSettings(), LiveWords(SystemClock()))

    async def body(tx: Transaction) -> None:
        lane = await closing.lane(tx, session_id)
        assert await closing.close(tx, lane, Outcome(TurnStatus.DONE)) is None
        looked.set()
        await go_on.wait()

    await store.write(body, lock=[session_id])


async def race(scene: Scene) -> tuple[Receipt, str | None]:
    """Return the receipt of the message that came in between, and the session's active turn afterwards."""
    store, engine, admin = scene
    session = await engine.create_session("me", HOME, "demo:led", "/")
    await engine.submit(Submission(session.id, "first", WEB, HOME, "first", "demo:led"))
    looked, go_on = asyncio.Event(), asyncio.Event()
    closing = asyncio.create_task(close_with_a_pause(store, session.id, looked, go_on))
    await looked.wait()
    sending = asyncio.create_task(engine.submit(Submission(session.id, "second", WEB, HOME, "second", "demo:led")))
    await admin.until_waiting(1)
    go_on.set()
    await closing
    receipt = await sending
    active = await admin.fetchval("SELECT active FROM sessions WHERE id = $1", session.id)
    return receipt, active


async def test_a_message_in_the_last_instant_of_a_turn_opens_the_next_one(scene: Scene) -> None:
    receipt, active = await race(scene)
    assert not receipt.is_queued
    assert active == receipt.turn_id


async def test_without_the_lock_on_the_session_row_that_message_would_be_lost(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_store, "locking", lambda session_ids: "")
    receipt, active = await race(scene)
    assert receipt.is_queued
    assert active is None
