"""How far the events of a gateway session are taken in: what the next process resumes at."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from tests.patience import PATIENCE, idle
from tests.platforms.kept_memory import KeptMemory
from wakeful.gateway.platforms.discord.progress import GatewayProgress, ResumePoint


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> KeptMemory:
    monkeypatch.setattr("wakeful.gateway.platforms.discord.progress._KEEP_SECONDS", 0.0)
    return KeptMemory()


@asynccontextmanager
async def session(kept: KeptMemory, sequence: int) -> AsyncIterator[tuple[GatewayProgress, Any]]:
    progress = GatewayProgress(kept.memory, lambda: (7,))
    socket: Any = SimpleNamespace(session_id="session", sequence=sequence, gateway="wss://gateway.example")
    progress.attach(socket)
    async with asyncio.timeout(PATIENCE), progress.at_work():
        yield progress, socket


async def until_at(kept: KeptMemory, sequence: int, *, has_missed: bool = False) -> None:
    point = {"session": "session", "gateway": "wss://gateway.example", "roles": (7,)}
    await kept.until(lambda: kept.values.get("gateway") == point | {"sequence": sequence, "has_missed": has_missed})


async def test_a_session_is_resumed_before_the_oldest_event_that_is_still_in_hand(kept: KeptMemory) -> None:
    async with session(kept, 5) as (progress, socket):
        first = progress.begin()
        progress.note_event()
        await until_at(kept, 4)
        socket.sequence = 7
        second = progress.begin()
        progress.end(first)
        await until_at(kept, 6)
        progress.end(second)
        await until_at(kept, 7)


async def test_what_came_before_a_session_is_to_be_read_until_it_is_taken_in(kept: KeptMemory) -> None:
    async with session(kept, 5) as (progress, socket):
        of_the_session_before, missed = progress.begin(), progress.begin_missed()
        socket.sequence = 1
        progress.note_new_session()
        await until_at(kept, 1, has_missed=True)
        progress.end(missed)
        progress.note_event()
        await until_at(kept, 1, has_missed=True)
        progress.end(of_the_session_before)
        await until_at(kept, 1)


async def test_what_is_kept_already_is_not_written_again(kept: KeptMemory) -> None:
    async with session(kept, 5) as (progress, socket):
        progress.note_event()
        await until_at(kept, 5)
        progress.note_event()
        # Long enough for another write.
        await idle()
        socket.sequence = 6
        progress.note_event()
        await until_at(kept, 6)

    assert kept.writes == 2


async def test_a_store_that_fails_is_asked_again(kept: KeptMemory) -> None:
    kept.failures = 2
    async with session(kept, 5) as (progress, _):
        progress.note_event()
        await until_at(kept, 5)


async def test_the_next_process_finds_it_and_nothing_in_what_it_cannot_read(kept: KeptMemory) -> None:
    async with session(kept, 5) as (progress, _):
        assert await progress.load() is None
        progress.note_event()
        await until_at(kept, 5)
    assert await progress.load() == ResumePoint("session", 5, "wss://gateway.example", (7,))

    kept.values["gateway"] = {"session": 5}
    assert await progress.load() is None


async def test_nothing_is_kept_before_there_is_a_session(kept: KeptMemory) -> None:
    async with session(kept, 0) as (progress, socket):
        socket.session_id = None
        progress.note_event()
        await asyncio.sleep(0)
        socket.session_id, socket.sequence = "session", 1
        progress.note_event()
        await until_at(kept, 1)
