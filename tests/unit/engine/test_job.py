"""A background job: when its next sweep is, what it counts, and which rows it leaves out for now."""

import asyncio
import time

import pytest

from tests.engine.kit import FakeClock
from tests.engine.test_supervisor import Chore
from tests.patience import idle
from wakeful.engine.job import Job
from wakeful.engine.supervisor import Supervisor
from wakeful.errors import StoreUnavailable


class Rows:
    """A job with one row, which fails as it is told."""

    def __init__(self, *orders: Exception | None) -> None:
        self.clock = FakeClock()
        self.job = Job("rows", self.sweep, self.clock)
        self.orders = list(orders)
        self.tried_at: list[float] = []
        self.results: list[bool] = []

    async def sweep(self) -> float | None:
        self.results.append(await self.job.row("row", self.act))
        return None

    async def act(self) -> None:
        self.tried_at.append(self.clock.now - 1_000_000)
        order = self.orders.pop(0) if self.orders else None
        if order is not None:
            raise order

    async def pass_seconds(self, seconds: int) -> None:
        for _ in range(seconds):
            await idle()
            self.clock.advance(1.0)
        await idle()


async def test_a_job_notes_its_last_success_and_no_failure_as_one() -> None:
    chore = Chore(StoreUnavailable("away"), ZeroDivisionError("a bug"), None)
    before = time.time()
    for _ in range(2):
        await chore.job.look()
        assert chore.job.counts.last_success == 0.0
    await chore.job.look()

    assert before <= chore.job.counts.last_success <= time.time()
    assert (chore.job.counts.runs, chore.job.counts.failures, chore.job.counts.row_failures) == (3, 2, 0)


async def test_the_first_failure_of_a_job_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    chore = Chore(*[StoreUnavailable("away")] * 5)
    logged = []
    for _ in range(5):
        caplog.clear()
        await chore.job.look()
        logged.append(len(caplog.records))

    assert logged == [1, 1, 0, 1, 0]


async def test_a_pause_after_failures_has_an_end() -> None:
    async with Chore(*[StoreUnavailable("away")] * 6, longest_pause=4.0).at_work() as chore:
        await chore.pass_time(20)
        assert chore.at == [0.0, 1.0, 3.0, 7.0, 11.0, 15.0, 19.0]
    async with Chore(*[StoreUnavailable("away")] * 6).at_work() as chore:
        await chore.pass_time(36)
        assert chore.at == [0.0, 1.0, 3.0, 7.0, 15.0, 25.0, 35.0]


async def test_a_success_ends_the_growth_of_the_pauses() -> None:
    away = StoreUnavailable("away")
    async with Chore(away, away, 1.0, away, 50.0).at_work() as chore:
        await chore.pass_time(8)
        assert chore.at == [0.0, 1.0, 3.0, 4.0, 5.0]


async def test_a_job_whose_first_wait_is_long_waits() -> None:
    async with Chore(None, first_wait=2.0).at_work() as chore:
        await chore.pass_time(100)
        assert chore.at == [2.0]
    async with Chore(None, first_wait=None).at_work() as chore:
        await chore.pass_time(100)
        assert chore.at == []


async def test_a_sweep_whose_time_has_come_does_not_settle() -> None:
    async with Chore(3.0, None, settling_seconds=2.0).at_work() as chore:
        await chore.pass_time(10)
        assert chore.at == [0.0, 3.0]
        chore.job.wake()
        await idle()
        await chore.pass_time(1.5)
        assert chore.at == [0.0, 3.0]
        await chore.pass_time(1)
        assert chore.at == [0.0, 3.0, 12.0]


async def test_a_job_without_settling_sweeps_as_soon_as_it_is_woken() -> None:
    changed = asyncio.Event()
    clock, swept = FakeClock(), list[float]()

    async def sweep() -> None:
        swept.append(clock.now)

    async with Supervisor().at_work(Job("chore", sweep, clock, changed=changed, first_wait=None)):
        await idle()
        assert swept == []
        changed.set()
        await idle()
        assert len(swept) == 1
        assert not changed.is_set()


async def test_a_row_that_fails_says_so_and_is_left_out_for_a_while() -> None:
    rows = Rows(ZeroDivisionError("a bug"))
    async with Supervisor().at_work(rows.job):
        await idle()
        rows.job.wake()
        await rows.pass_seconds(3)
    assert rows.results == [False, False, True]
    assert rows.tried_at == [0.0, 1.0]
    assert rows.job.counts.row_failures == 1


async def test_a_row_that_works_again_begins_anew() -> None:
    bug = ZeroDivisionError("a bug")
    rows = Rows(bug, bug, None, bug)
    async with Supervisor().at_work(rows.job):
        await rows.pass_seconds(3)
        rows.job.wake()
        await rows.pass_seconds(3)

    # The row rests for one second, then for two; after its success for one again.
    assert rows.tried_at == [0.0, 1.0, 3.0, 3.0, 4.0]


async def test_a_row_rests_no_longer_than_a_minute() -> None:
    rows = Rows(*[ZeroDivisionError("a bug")] * 9)
    async with Supervisor().at_work(rows.job):
        await rows.pass_seconds(190)

    assert rows.tried_at == [0.0, 1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 123.0, 183.0]


async def test_a_row_that_waits_for_the_store_is_left_out_counted_and_tried_a_second_later() -> None:
    away = StoreUnavailable("away")
    rows = Rows(away, away, ZeroDivisionError("a bug"), None)
    async with Supervisor().at_work(rows.job):
        await rows.pass_seconds(5)

    assert rows.tried_at == [0.0, 1.0, 2.0, 3.0]
    assert rows.results == [False, False, False, True]
    assert rows.job.counts.row_failures == 3
    assert rows.job.counts.failures == 0


async def test_a_row_that_was_broken_before_a_failed_sweep_is_not_forgotten() -> None:
    rows = Rows(ZeroDivisionError("a bug"), ZeroDivisionError("a bug"))

    async def fail() -> float | None:
        raise StoreUnavailable("away")

    await rows.job.look()
    await rows.pass_seconds(1)
    rows.job._sweep = fail
    await rows.job.look()
    rows.job._sweep = rows.sweep
    await rows.job.look()
    await rows.pass_seconds(1)
    await rows.job.look()
    await rows.pass_seconds(1)
    await rows.job.look()

    # It still rested at the third try.
    assert rows.results == [False, False, False, True]
    assert rows.tried_at == [0.0, 1.0, 3.0]


async def test_a_row_whose_rest_ends_during_the_same_sweep_is_not_forgotten() -> None:
    clock = FakeClock()

    async def fail() -> None:
        raise ZeroDivisionError("a bug")

    async def sweep() -> float | None:
        await job.row("row", fail)
        await idle()
        clock.advance(1.0)
        await idle()
        return None

    job = Job("rows", sweep, clock)
    await job.look()
    assert not job._resting
    await job.look()

    assert set(job._resting) == {"row"}, "its second rest is longer"
    clock.advance(1.0)
    await idle()
