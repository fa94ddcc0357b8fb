"""Three servers on one PostgreSQL, killed, frozen in the middle of transactions, searched in bursts, their database
restarted: nothing is lost, doubled or misrouted, nothing runs twice or gets stuck, and whoever reads sees it once."""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.cluster import Cluster
from tests.acceptance.command import Command
from tests.acceptance.storm import Counts, count, make_jobs
from tests.acceptance.turn_reader import TurnReader
from tests.endpoint import Endpoint, Script
from tests.postgres_server import PostgresServer


@dataclass(frozen=True, slots=True)
class Weather:
    sessions: int
    processes: int
    # How many turns stream at the same time, each with its own reader.
    talks: int
    kills: int
    freezes: int
    lease_seconds: float
    # How often the database is restarted, and how often it crashes.
    restarts: int
    crashes: int


async def _weather(wakeful: Command, server: PostgresServer, url: str, folder: Path, weather: Weather) -> Counts:
    seed = int.from_bytes(os.urandom(4))
    chance = random.Random(seed)
    jobs = make_jobs(chance, sessions=weather.sessions, processes=weather.processes)
    ledger = folder / "ledger"
    ledger.touch()
    async with Endpoint(Script(text="ok"), keep_bodies=False) as endpoint:
        command = wakeful.having(
            WAKEFUL_MODEL="openai:scripted", OPENAI_BASE_URL=endpoint.url, WAKEFUL_WAKE_BUDGET_PER_HOUR="1000"
        )
        async with Cluster(command, url, jobs, ledger, chance, weather.lease_seconds) as cluster:
            storming = asyncio.create_task(_storm(cluster, server, chance, weather))
            talking = asyncio.create_task(_talk(cluster, chance, weather.talks, storming))
            await cluster.begin()
            await cluster.end_the_endless()
            await storming
            readers = await talking
            await cluster.until_quiet()
            counts = await count(cluster, jobs, ledger)
            counts.complaints += [f"{reader.turn_id}: {words}" for reader in readers for words in reader.complaints]
            words = sum(reader.words for reader in readers)
            print(f"\nseed {seed}\n{counts}\n{cluster.take_overs}\n{len(readers)} readers, {words} words")
            if counts.complaints:
                print(cluster.logs())
    return counts


async def _storm(cluster: Cluster, server: PostgresServer, chance: random.Random, weather: Weather) -> None:
    """Disturb one server at a time, so that another one can always take over."""
    blows: list[Callable[[], Awaitable[object]]] = [
        *[cluster.kill] * weather.kills,
        *[cluster.freeze] * weather.freezes,
        *[lambda: asyncio.to_thread(server.restart)] * weather.restarts,
        *[lambda: asyncio.to_thread(_crash, server)] * weather.crashes,
    ]
    chance.shuffle(blows)
    for blow in blows:
        await cluster.search_in_a_burst()
        await blow()


async def _talk(
    cluster: Cluster, chance: random.Random, abreast: int, storming: asyncio.Task[None]
) -> Sequence[TurnReader]:
    """Keep turns streaming while servers come and go."""

    async def keep_talking(lane: int) -> list[TurnReader]:
        readers = [await _hear_out(cluster, chance, f"{lane}-0")]
        while not storming.done():
            readers.append(await _hear_out(cluster, chance, f"{lane}-{len(readers)}"))
        return readers

    lanes = await asyncio.gather(*(keep_talking(lane) for lane in range(abreast)))
    return [reader for lane in lanes for reader in lane]


async def _hear_out(cluster: Cluster, chance: random.Random, name: str) -> TurnReader:
    session = await cluster.post("/api/session/new", {})
    message = {"message": 'script: {"text": null, "tokens": 60, "rate": 20}', "client_message_id": f"talk-{name}"}
    begun = await cluster.post("/api/chat/start", session | message)
    reader = TurnReader(cluster, begun["stream_id"], chance)
    await reader.to_the_end()
    seen = await cluster.get("/api/session", session_id=session["session_id"])
    if seen["messages"][-1]["content"] != reader.text:
        reader.complaints.append(f"it ends with {reader.text!r}, not {seen['messages'][-1]['content']!r}")
    return reader


def _crash(server: PostgresServer) -> None:
    server.crash()
    server.start()


def _assert_calm(counts: Counts, weather: Weather) -> None:
    assert counts == Counts(
        processes=weather.processes,
        deaths=weather.kills,
        notices=weather.processes - counts.killed,
        killed=counts.killed,
    )


@pytest.mark.timeout(120)
async def test_three_servers_lose_nothing_whatever_happens_to_each(
    wakeful: Command, postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    weather = Weather(4, 12, talks=4, kills=1, freezes=1, lease_seconds=1.5, restarts=0, crashes=1)
    _assert_calm(await _weather(wakeful, postgres_server, postgres_url, tmp_path, weather), weather)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_three_servers_lose_nothing_in_a_long_storm(
    wakeful: Command, postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    weather = Weather(20, 120, talks=12, kills=12, freezes=10, lease_seconds=3, restarts=2, crashes=2)
    _assert_calm(await _weather(wakeful, postgres_server, postgres_url, tmp_path, weather), weather)
