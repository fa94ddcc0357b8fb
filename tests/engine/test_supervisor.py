"""Background jobs: a failing store or a bad row delays a job, and neither ends it nor delays other rows and jobs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from tests.engine.kit import FakeClock
from tests.patience import idle
from wakeful.engine.job import Job
from wakeful.engine.supervisor import Supervisor
from wakeful.errors import StoreUnavailable


class Chore:
    """A job whose sweeps return or raise the given values, one after the other; then they do nothing."""

    def __init__(self, *orders: float | Exception | None, **how: float | None) -> None:
        self.clock = FakeClock()
        self.orders = list(orders)
        self.at: list[float] = []
        self.job = Job("chore", self.sweep, self.clock, **how)  # type: ignore[arg-type]

    async def sweep(self) -> float | None:
        self.at.append(self.clock.now - 1_000_000)
        order = self.orders.pop(0) if self.orders else None
        if isinstance(order, Exception):
            raise order
        return order

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator["Chore"]:
        async with Supervisor().at_work(self.job):
            await idle()
            yield self

    async def pass_time(self, seconds: float, step: float = 0.5) -> None:
        for _ in range(round(seconds / step)):
            self.clock.advance(step)
            await idle()


async def test_a_sweep_says_when_the_next_one_is_made() -> None:
    async with Chore(3.0, 2.0).at_work() as chore:
        await chore.pass_time(10)
        assert chore.at == [0.0, 3.0, 5.0]


async def test_news_brings_the_next_sweep_forward_and_is_not_lost_during_one() -> None:
    chore = Chore(50.0, None)
    async with chore.at_work():
        chore.job.wake()
        chore.job.wake()
        await idle()
        assert chore.at == [0.0, 0.0]
        chore.job.wake()
        await idle()
        assert len(chore.at) == 3


async def test_no_wait_is_longer_than_a_minute_for_the_clock_of_the_store_may_be_set() -> None:
    async with Chore(3600.0, None).at_work() as chore:
        await chore.pass_time(61)
        assert chore.at == [0.0, 60.0]


async def test_after_failures_a_job_rests_longer_each_time_whatever_the_news(caplog: pytest.LogCaptureFixture) -> None:
    down, bug = StoreUnavailable("away"), ZeroDivisionError("a bug")
    async with Chore(down, bug, down, 1.0, down, None).at_work() as chore:
        chore.job.wake()
        await chore.pass_time(20)
        assert chore.at == [0.0, 1.0, 3.0, 7.0, 8.0, 9.0]
    assert "chore: the store failed, trying again: away" in caplog.text
    assert "ZeroDivisionError: a bug" in caplog.text
    counts = chore.job.counts
    assert (counts.runs, counts.failures) == (6, 4)


async def test_a_job_that_tries_often_says_less_and_less_of_a_long_outage(caplog: pytest.LogCaptureFixture) -> None:
    outage = [StoreUnavailable("away") for _ in range(100)]
    async with Chore(*outage, 1.0, StoreUnavailable("away again"), longest_pause=0.5).at_work() as chore:
        await chore.pass_time(60)
    logged = [record.message for record in caplog.records if "the store failed" in record.message]
    assert len(logged) == 8
    assert logged[-1].endswith("away again")
    assert chore.job.counts.failures == 101


async def test_a_job_that_waits_for_trouble_gives_it_a_moment() -> None:
    async with Chore(settling_seconds=2.0, first_wait=None).at_work() as chore:
        chore.job.wake()
        await idle()
        await chore.pass_time(5)
        assert chore.at == [2.0]


async def test_a_poisoned_row_is_left_out_longer_each_time_and_starves_none_after_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = FakeClock()
    done: list[tuple[str, float]] = []
    poison = [ZeroDivisionError("a bug"), ZeroDivisionError("a bug"), ZeroDivisionError("a bug")]

    async def act(row: str) -> None:
        if row == "row_bad" and poison:
            raise poison.pop()
        done.append((row, clock.now - 1_000_000))

    async def sweep() -> float | None:
        for row in ("row_bad", "row_good"):
            await job.row(row, partial(act, row))
        return None

    job = Job("rows", sweep, clock)
    async with Supervisor().at_work(job):
        for second in range(10):
            if second == 2:
                job.wake()
            await idle()
            clock.advance(1.0)
        await idle()
    # It was tried at 0, 1 and 3, and worked at 7; each time it asked for the sweep itself. The sweep at 2 left it out.
    assert [row for row in done if row[0] == "row_bad"] == [("row_bad", 7.0)]
    assert [at for row, at in done if row == "row_good"] == [0.0, 1.0, 2.0, 3.0, 7.0]
    assert caplog.text.count("rows: row_bad failed and is skipped") == 3
    assert job.counts.row_failures == 3
    assert job.counts.failures == 0


async def test_a_row_that_comes_back_after_it_was_gone_begins_anew() -> None:
    clock = FakeClock()
    rows, tries = ["row"], []

    async def act() -> None:
        tries.append(clock.now - 1_000_000)
        raise ZeroDivisionError("a bug")

    async def sweep() -> float | None:
        for row in rows:
            await job.row(row, act)
        return None

    async def look_after(seconds: float) -> None:
        clock.advance(seconds)
        await idle()
        await job.look()
        await idle()

    job = Job("rows", sweep, clock)
    await look_after(0)
    await look_after(1)
    rows.clear()
    await look_after(2)
    rows.append("row")
    await look_after(0)
    await look_after(1)

    assert tries == [0.0, 1.0, 3.0, 4.0]
    clock.advance(60)
    await idle()


async def test_a_store_that_is_away_is_not_held_against_its_rows() -> None:
    clock = FakeClock()
    tries: list[float] = []

    async def act() -> None:
        tries.append(clock.now - 1_000_000)
        raise StoreUnavailable("away")

    async def sweep() -> float | None:
        await job.row("row", act)
        return None

    job = Job("rows", sweep, clock)
    async with Supervisor().at_work(job):
        for _ in range(3):
            await idle()
            clock.advance(1.0)
    assert tries == [0.0, 1.0, 2.0]


async def test_the_end_of_a_job_leaves_nothing_behind() -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    async def sweep() -> float | None:
        await job.row("row", broken)
        return None

    before = asyncio.all_tasks()
    job = Job("rows", sweep, FakeClock())
    async with Supervisor().at_work(job):
        await idle()
        assert len(asyncio.all_tasks() - before) > 1
    await idle()
    assert asyncio.all_tasks() == before
