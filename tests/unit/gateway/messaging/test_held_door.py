"""A door that a node holds: a database that fails for a while neither opens nor closes it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from wakeful.engine.clock import SystemClock
from wakeful.errors import StoreError
from wakeful.gateway.messaging.held_door import HeldDoor
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.store.sqlite.store import SqliteStore


class ShakyStore(SqliteStore):
    # How many of the next writes fail.
    failures = 0

    async def write(self, *given: Any, **how: Any) -> Any:
        if self.failures:
            self.failures -= 1
            raise StoreError
        return await super().write(*given, **how)


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[ShakyStore]:
    store = ShakyStore(sqlite_path, time.time, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - the door signals no change
            await asyncio.sleep(0.001)


async def test_a_door_is_taken_and_kept_whenever_the_store_answers(
    store: ShakyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.held_door._LOOK_SECONDS", 0.001)
    changes: list[str] = []

    @asynccontextmanager
    async def work() -> AsyncIterator[None]:
        changes.append("opened")
        yield
        changes.append("closed")

    door = HeldDoor(store, "telegram", "node_1", SystemClock(), work)
    connected = DoorStatus(DoorState.CONNECTED, 1.0, "@bot")
    store.failures = 2
    async with door.at_work():
        await until(lambda: changes == ["opened"])
        store.failures = 3
        await until(lambda: not store.failures)
        door.note(connected)
        async with asyncio.timeout(PATIENCE):
            while (  # noqa: ASYNC110 - the store signals no change
                await store.read(lambda tx: tx.platform_doors.status("telegram")) != connected
            ):
                await asyncio.sleep(0.001)
        assert changes == ["opened"]
        store.failures = 1

    assert not store.failures


async def test_the_work_has_ended_and_the_platform_is_closed_before_the_door_is_left(store: ShakyStore) -> None:
    changes: list[str] = []
    opened = asyncio.Event()

    async def note(change: str) -> None:
        held = await store.write(lambda tx: tx.platform_doors.is_held_by("telegram", "node_1"))
        changes.append(f"{change}, {'held' if held else 'left'}")

    @asynccontextmanager
    async def work() -> AsyncIterator[None]:
        opened.set()
        try:
            yield
        finally:
            await note("ended")

    async def close() -> None:
        await note("closed")

    async with asyncio.timeout(PATIENCE), HeldDoor(store, "telegram", "node_1", SystemClock(), work, close).at_work():
        await opened.wait()
    await note("after")

    assert changes == ["ended, held", "closed, held", "after, left"]
