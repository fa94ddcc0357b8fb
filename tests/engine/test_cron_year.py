"""Weeks and a year of schedules in three time zones: two nodes, kills, outages, and a clock that jumps both ways.

Every firing that an independent list has comes to pass once, and no other.
"""

import asyncio
import random
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from tests.engine.cron import add, schedules_on
from tests.engine.cron_oracle import Expected, firings
from tests.engine.kit import FakeClock, House, Node
from tests.patience import PATIENCE
from wakeful.model.schedules.schedule import parse_schedule
from wakeful.store.sqlite.store import SqliteStore

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"
FEW = [
    ("30 2 * * *", BERLIN),
    ("0 */12 * * 0,1", BERLIN),
    ("30 2 * * *", NEW_YORK),
    ("15 1 * * 0", NEW_YORK),
    ("45 1 * * 0-3", LORD_HOWE),
    ("*/20 2 * * 0", LORD_HOWE),
]
MANY = [
    *FEW,
    ("0 9 * * 1-5", BERLIN),
    ("0 2,3 * * *", BERLIN),
    ("59 1 1 * *", BERLIN),
    ("0 0 13 * 5", NEW_YORK),
    ("10-50/20 1 * 3,11 *", NEW_YORK),
    ("5 * * * 6", NEW_YORK),
    ("0 2 * * *", LORD_HOWE),
    ("15 2 * 4,10 *", LORD_HOWE),
]
CATCH_UP = 3600.0
DAY = timedelta(days=1)
# Forwards, forwards, and half an hour back.
CHANGES = {BERLIN: datetime(2027, 3, 28), NEW_YORK: datetime(2027, 3, 14), LORD_HOWE: datetime(2027, 4, 4)}


class SharedFile(SqliteStore):
    """Two nodes in one process on one file, which only a test allows."""

    is_exclusive = False


@dataclass
class Simulation:
    house: House
    database: sqlite3.Connection
    dice: random.Random
    jobs: dict[str, Expected] = field(default_factory=dict)
    seen: dict[tuple[str, float], str] = field(default_factory=dict)
    kills: int = 0

    @property
    def now(self) -> float:
        return self.house.clock.time()

    async def start_node(self) -> None:
        schedules_on(await self.house.start_node())
        await self.house.settle()

    async def add_jobs(self, schedules: list[tuple[str, str]], end: float) -> None:
        desk = schedules_on(await self.house.start_node())
        for number, (text, zone) in enumerate(schedules):
            deliver = "telegram:7" if number == 0 else ""
            job = await add(desk, text, timezone=zone, deliver=deliver)
            self.jobs[job.id] = Expected(firings(text, zone, self.now, end), CATCH_UP, self.now, {})
        await self.start_node()

    def next_time(self) -> float | None:
        coming = [at for job in self.jobs.values() for at in job.times if at > max(job.last, self.now)]
        return min(coming, default=None)

    async def go_to(self, at: float) -> None:
        """Let time pass up to a moment, at which every living node looks; then let all turns come to their end."""
        await self.house.advance(at - self.now)
        await self.house.settle()
        self.look()
        await self.end_turns()
        self.read_runs()

    async def kill(self, node: Node) -> None:
        self.kills += 1
        await self.house.kill(node)

    def look(self) -> None:
        for job in self.jobs.values():
            job.look(self.now)

    async def end_turns(self) -> None:
        for _ in range(8):
            await self.house.settle()
            await self.replace_dead()
            running = {turn for (turn,) in self.fetch("SELECT turn_id FROM cron_runs WHERE status = 'running'")}
            if not running and not self.fetch("SELECT 1 FROM cron_runs WHERE status = 'queued'"):
                return
            await self.until_asked()
            for node in self.house.nodes:
                # Again each time: a run that has lost its turn, to the same node even, may have taken the order along.
                for turn in running & node.agent.briefs.keys():
                    node.agent.order(turn, "finish")
            await self.house.settle()
            # The turns of a dead node are taken over when its lease has run out.
            await self.house.advance(2)
        dead = [node.engine.node for node in self.house.nodes if node.store.is_dead]
        raise AssertionError(f"{running} do not end; of {len(self.house.nodes)} nodes {dead} are dead")

    async def until_asked(self) -> None:
        """Wait until the agent has each turn. A long history is read in a thread, which `settle` does not know of."""
        async with asyncio.timeout(PATIENCE):
            while any(self.unasked(node) for node in self.house.nodes):  # noqa: ASYNC110 - a thread sets no event
                await asyncio.sleep(0.002)

    def unasked(self, node: Node) -> bool:
        turns = {runner.assignment.turn.id for runner in node.engine._runners.all()}
        return not node.store.is_dead and not turns <= node.agent.briefs.keys()

    async def replace_dead(self) -> None:
        """A node may die at its first look, or when it ends a turn."""
        for node in [node for node in self.house.nodes if node.store.is_dead]:
            await self.kill(node)
            await self.start_node()

    def read_runs(self) -> None:
        for job, at, status, reason in self.fetch("SELECT job_id, fire_at, status, reason FROM cron_runs"):
            outcome = reason if status == "skipped" else status
            assert self.seen.setdefault((job, at), outcome) == outcome, "what has become of a firing stays so"

    def fetch(self, query: str) -> list[Any]:
        return self.database.execute(query).fetchall()

    async def something_happens(self, kind: str) -> None:
        match kind:
            case "kill":
                self.dice.choice(self.house.nodes).store.fuse = self.dice.randint(1, 8)
            case "outage":
                for node in list(self.house.nodes):
                    await self.kill(node)
                await self.house.advance(self.dice.randint(1, 40 * 3600))
                await self.start_node()
                self.look()
                await self.start_node()
                await self.end_turns()
            case "forwards" | "back":
                # Not both at one instant: the lease of a node that dies as its clock is set back lasts until that time.
                for node in [node for node in self.house.nodes if node.store.fuse is not None]:
                    await self.kill(node)
                    await self.start_node()
                seconds = self.dice.randint(1, 20 * 3600)
                await self.house.set_store_clock(seconds if kind == "forwards" else -seconds)
                # Everybody has looked after so long, though nobody was told.
                await self.go_to(self.now + 61)

    def check(self) -> None:
        wanted = {(name, at): how for name, job in self.jobs.items() for at, how in job.outcomes.items()}
        assert self.seen == wanted
        (turns,) = self.fetch("SELECT count(*), count(DISTINCT id) FROM turns WHERE source = 'cron'")
        assert turns == (list(wanted.values()).count("done"),) * 2
        assert {"done", "missed"} == set(wanted.values())
        counts = Counter(wanted.values())
        print(f"{len(wanted)} firings of {len(self.jobs)} jobs: {dict(counts)}; {self.kills} kills; 0 lost, 0 doubled")


@asynccontextmanager
async def simulated(path: Path, start: float, seed: int) -> AsyncIterator[Simulation]:
    clock = FakeClock()
    clock.now = start
    async with AsyncExitStack() as ending:
        store = SharedFile(path, clock.time, synchronous="OFF")
        await store.open()
        ending.push_async_callback(store.close)
        database = sqlite3.connect(path, isolation_level=None)
        ending.callback(database.close)
        house = House(store, clock)
        ending.push_async_callback(house.stop)
        yield Simulation(house, database, random.Random(seed))


async def live_through(path: Path, days: tuple[datetime, datetime], schedules: list[tuple[str, str]]) -> None:
    start, end = (day.timestamp() for day in days)
    happenings = ["kill"] * 10 + ["outage", "forwards", "back"] * 3
    async with simulated(path, start, seed=13) as life:
        await life.add_jobs(schedules, end)
        moments = sorted(life.dice.uniform(start, end - 3 * 86_400) for _ in happenings)
        life.dice.shuffle(happenings)
        while (at := life.next_time()) is not None:
            if moments and moments[0] < life.now:
                moments.pop(0)
                await life.something_happens(happenings.pop())
            else:
                await life.go_to(at)
        assert not happenings
        assert life.kills >= 10
        life.check()


@pytest.mark.parametrize(("text", "zone"), MANY)
def test_every_time_of_a_year_is_that_of_the_independent_list(text: str, zone: str, soak: bool) -> None:
    change = CHANGES[zone]
    days = (datetime(2027, 1, 1), datetime(2029, 1, 1)) if soak else (change - 3 * DAY, change + 3 * DAY)
    start, end = (day.replace(tzinfo=UTC).timestamp() for day in days)

    times = list(takewhile(lambda at: at <= end, parse_schedule(text, zone, start).after(start)))

    assert times == firings(text, zone, start, end)


async def test_four_weeks_with_both_kinds_of_changes_of_the_clock(sqlite_path: Path) -> None:
    days = datetime(2027, 3, 11, tzinfo=UTC), datetime(2027, 4, 8, tzinfo=UTC)
    await live_through(sqlite_path, days, FEW)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_a_year(sqlite_path: Path) -> None:
    days = datetime(2027, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC)
    await live_through(sqlite_path, days, MANY)
