"""Nothing is lost and nothing doubled, however many processes there are and however often the server dies."""

import asyncio
import os
import random
from pathlib import Path

import pytest

from tests.acceptance.command import Command
from tests.acceptance.storm import Counts, Storm, count, make_jobs
from tests.endpoint import Endpoint, Script

_DEATHS = 10


async def _weather(wakeful: Command, folder: Path, *, sessions: int, processes: int, seconds: float) -> Counts:
    seed = int.from_bytes(os.urandom(4))
    print(f"\nseed {seed}")
    chance = random.Random(seed)
    jobs = make_jobs(chance, sessions=sessions, processes=processes)
    ledger = folder / "ledger"
    ledger.touch()
    async with Endpoint(Script(text="ok"), keep_bodies=False) as endpoint:
        command = wakeful.having(
            WAKEFUL_MODEL="openai:scripted", OPENAI_BASE_URL=endpoint.url, WAKEFUL_WAKE_BUDGET_PER_HOUR="1000"
        )
        async with Storm(command, jobs, ledger, chance) as storm:
            killing = asyncio.create_task(_kill_at_random(storm, chance, seconds))
            await storm.begin()
            await storm.end_the_endless()
            await killing
            await storm.until_quiet()
            counts = await count(storm, jobs, ledger)
    print(counts)
    return counts


async def _kill_at_random(storm: Storm, chance: random.Random, seconds: float) -> None:
    for _ in range(_DEATHS):
        await asyncio.sleep(chance.uniform(0, 2 * seconds / _DEATHS))
        await storm.kill_server()


def _assert_calm(counts: Counts, *, processes: int) -> None:
    assert counts == Counts(
        processes=processes,
        deaths=_DEATHS,
        notices=processes - counts.killed,
        killed=counts.killed,
    )


async def test_100_processes_of_20_sessions_survive_ten_deaths_of_the_server(wakeful: Command, tmp_path: Path) -> None:
    counts = await _weather(wakeful, tmp_path, sessions=20, processes=100, seconds=6)
    _assert_calm(counts, processes=100)


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_500_processes_of_50_sessions_survive_ten_deaths_of_the_server(wakeful: Command, tmp_path: Path) -> None:
    counts = await _weather(wakeful, tmp_path, sessions=50, processes=500, seconds=20)
    _assert_calm(counts, processes=500)
