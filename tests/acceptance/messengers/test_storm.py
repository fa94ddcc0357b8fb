"""Nothing is lost, doubled or misrouted on three platforms at once, however often servers die and platforms break."""

import random
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.acceptance.command import Command
from tests.acceptance.messengers.counts import Counts, Reckoning, missing_items
from tests.acceptance.messengers.faults import Faults
from tests.acceptance.messengers.messengers import PLATFORMS, open_messenger, settings_of
from tests.acceptance.messengers.model import ChattyModel
from tests.acceptance.messengers.servers import Servers
from tests.acceptance.messengers.storm import People, Weather, storm
from wakeful.store.base import Store
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

_BREEZE = Weather(chats=2, messages=2, kills=2, seconds=2, faults=4, longest_job=1)
_STORM = Weather(chats=10, messages=6, kills=10, seconds=30, faults=6)
_WORDS_A_SECOND = 20


async def _blow(wakeful: Command, folder: Path, weather: Weather, seed: int, database: str = "") -> Counts:
    print(f"\nseed {seed}")
    chance = random.Random(seed)
    ledger = folder / "ledger"
    ledger.touch()
    async with AsyncExitStack() as ending:
        messengers = [await open_messenger(name, ending) for name in PLATFORMS]
        model = await ending.enter_async_context(ChattyModel(_WORDS_A_SECOND))
        command = wakeful.having(
            WAKEFUL_MODEL="openai:scripted",
            OPENAI_BASE_URL=model.url,
            WAKEFUL_WAKE_BUDGET_PER_HOUR="1000",
            **settings_of(messengers),
        )
        people = People(messengers, weather, chance, ledger)
        faults = Faults(messengers, chance, weather.faults)
        async with Servers(command, count=2 if database else 1, database=database) as servers:
            await storm(servers, people, faults, lambda: missing_items(people.asked, messengers))
        store: Store = PostgresStore(database) if database else SqliteStore(servers.home / "wakeful.db", time.time)
        await store.open()
        ending.push_async_callback(store.close)
        reckoning = Reckoning(people.asked, messengers, ledger.read_text())
        counts = await reckoning.make(store)
    counts.kills, counts.faults = servers.kills, faults.counts
    print(counts)
    return counts


def _assert_calm(counts: Counts) -> None:
    assert (counts.lost, counts.doubled, counts.misrouted, counts.strange) == (0, 0, 0, 0), counts.complaints


async def test_a_breeze_over_three_platforms_loses_nothing(wakeful: Command, tmp_path: Path, seed: int) -> None:
    _assert_calm(await _blow(wakeful, tmp_path, _BREEZE, seed))


async def test_a_breeze_over_two_nodes_loses_nothing(
    wakeful: Command, tmp_path: Path, seed: int, postgres_url: str
) -> None:
    _assert_calm(await _blow(wakeful, tmp_path, _BREEZE, seed, postgres_url))


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_thirty_chats_survive_ten_kills(wakeful: Command, tmp_path: Path, seed: int) -> None:
    _assert_calm(await _blow(wakeful, tmp_path, _STORM, seed))


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_thirty_chats_survive_ten_kills_of_two_nodes(
    wakeful: Command, tmp_path: Path, seed: int, postgres_url: str
) -> None:
    _assert_calm(await _blow(wakeful, tmp_path, _STORM, seed, postgres_url))
