"""The door of webhooks: open at one node, which also reports what ends at others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.bare_engine import bare_engine
from tests.engine.kit import LedAgent, until
from tests.unit.gateway.webhooks.kit import BACKGROUND, DONE, Receiver, end_turn
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.settings import EngineSettings
from wakeful.gateway.webhooks.door import open_webhooks
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.store.base import Store
from wakeful.store.postgres.store import PostgresStore

# Without a signal it would be found after half a minute.
_SOON = 20.0


async def test_an_end_is_reported_at_once_also_when_it_comes_at_another_node(
    postgres_url: str,
) -> None:
    first, second = PostgresStore(postgres_url), PostgresStore(postgres_url)
    await first.open()
    await second.open()
    async with Receiver().serving() as receiver, asyncio.timeout(_SOON):
        endpoint = receiver.endpoint(owner="alice")
        async with reporting(first, endpoint) as engine:
            await until(lambda: first.write(lambda tx: tx.platform_doors.is_held_by("webhook", engine.node)))
            async with reporting(second, endpoint):
                for number, store in enumerate((first, second), start=1):
                    await end_turn(store, BACKGROUND, DONE, endpoint, turn_id=f"turn_{number}")
                    await receiver.until_visited(number)
    await first.close()
    await second.close()

    assert [visit.headers["webhook-id"] for visit in receiver.visits] == ["evt_1", "evt_2"]


@asynccontextmanager
async def reporting(store: Store, endpoint: WebhookEndpoint) -> AsyncIterator[Engine]:
    """A node that sends webhooks; its engine has nothing to do."""
    engine = bare_engine(store, LedAgent(), SystemClock(), EngineSettings())
    await engine.start()
    try:
        async with open_webhooks(engine, store, [endpoint], allows_private=True):
            yield engine
    finally:
        await engine.stop()
