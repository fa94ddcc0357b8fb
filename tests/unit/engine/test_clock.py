"""How long a wait takes, whatever the clocks do meanwhile."""

import asyncio
import time

import pytest

from tests.patience import PATIENCE, idle
from wakeful.engine.clock import SystemClock


class Hands:
    """A clock's two readings, which a test sets. It naps for no time, so that a few passes of the loop show all."""

    def __init__(self) -> None:
        self.since_boot = 100.0
        self.wall = 1_000.0
        self.clock = SystemClock(lambda: self.since_boot, lambda: self.wall, nap_seconds=0.0)
        self.event = asyncio.Event()

    def wait(self, seconds: float | None) -> asyncio.Task[None]:
        return asyncio.create_task(self.clock.wait(self.event, seconds))

    def pass_time(self, seconds: float) -> None:
        self.since_boot += seconds
        self.wall += seconds


async def is_over(waiting: asyncio.Task[None]) -> bool:
    await idle()
    return waiting.done()


async def test_a_wait_takes_as_long_as_it_was_told() -> None:
    hands = Hands()
    waiting = hands.wait(5.0)
    assert not await is_over(waiting)
    hands.pass_time(4.9)
    assert not await is_over(waiting)
    hands.pass_time(0.2)
    await asyncio.wait_for(waiting, PATIENCE)


async def test_a_wait_for_no_time_is_over_at_once() -> None:
    hands = Hands()
    for seconds in (0.0, -1.0):
        await asyncio.wait_for(hands.wait(seconds), PATIENCE)


@pytest.mark.parametrize(("jump", "ends"), [(0.4, False), (-0.4, False), (0.6, True), (-0.6, True)])
async def test_a_wait_ends_when_the_wall_clock_is_set_but_not_when_it_is_corrected(jump: float, ends: bool) -> None:
    hands = Hands()
    waiting = hands.wait(5.0)
    assert not await is_over(waiting)
    hands.wall += jump
    if ends:
        await asyncio.wait_for(waiting, PATIENCE)
    else:
        hands.pass_time(4.9)
        assert not await is_over(waiting)
        hands.pass_time(0.2)
        await asyncio.wait_for(waiting, PATIENCE)


async def test_a_wait_for_an_event_alone_never_looks_at_the_clock() -> None:
    hands = Hands()
    waiting = hands.wait(None)
    assert not await is_over(waiting)
    hands.pass_time(1e9)
    hands.wall += 3600.0
    assert not await is_over(waiting)
    hands.event.set()
    await asyncio.wait_for(waiting, PATIENCE)


async def test_a_long_wait_naps_so_that_a_sleep_of_the_machine_is_noticed() -> None:
    readings = iter([0.0, 0.0, 0.0, 0.0, 3600.0])
    clock = SystemClock(lambda: next(readings, 7200.0), lambda: 0.0, nap_seconds=0.001)

    await asyncio.wait_for(clock.wait(asyncio.Event(), 3600.0), PATIENCE)


@pytest.mark.parametrize("seconds", [None, 3600.0])
async def test_a_wait_ends_with_its_event(seconds: float | None) -> None:
    hands = Hands()
    waiting = hands.wait(seconds)
    assert not await is_over(waiting)
    hands.event.set()
    await asyncio.wait_for(waiting, PATIENCE)


async def test_an_event_that_is_set_ends_a_wait_before_its_first_nap() -> None:
    event = asyncio.Event()
    event.set()
    await asyncio.wait_for(SystemClock(nap_seconds=10 * PATIENCE).wait(event, 3600.0), PATIENCE)


def test_the_monotonic_clock_is_that_of_the_system() -> None:
    kind = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    before = time.clock_gettime(kind)
    assert before <= SystemClock().monotonic() <= time.clock_gettime(kind)
