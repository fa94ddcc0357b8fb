"""How long a node may believe that its lease holds."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.bare_engine import HOST
from tests.engine.kit import FakeClock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.upkeep.lease_keeper import LeaseKeeper
from wakeful.engine.words.words import LiveWords
from wakeful.errors import StoreUnavailable


class SlowStore:
    """A store that is slow to renew a lease."""

    is_exclusive = False

    def __init__(self, clock: FakeClock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds

    async def write_lease(self, body: object) -> None:
        self._clock.advance(self._seconds)


async def test_a_lease_is_counted_from_before_its_renewal_was_written() -> None:
    clock, settings = FakeClock(), EngineSettings()
    slow_store: Any = SlowStore(clock, settings.lease_seconds - 0.5)
    words = LiveWords(clock)
    keeper = LeaseKeeper(slow_store, "node", HOST, clock, settings, words)

    await keeper.renew()

    assert keeper.seconds_left == 0.5
    assert keeper.is_late
    assert words.may_show()
    clock.advance(0.5)
    assert not words.may_show()


class AbsentStore:
    is_exclusive = False

    async def write_lease(self, body: object) -> None:
        raise StoreUnavailable


async def test_a_renewal_that_fails_renews_nothing() -> None:
    clock = FakeClock()
    absent_store: Any = AbsentStore()
    words = LiveWords(clock)
    keeper = LeaseKeeper(absent_store, "node", HOST, clock, EngineSettings(), words)

    with pytest.raises(StoreUnavailable):
        await keeper.renew()

    assert keeper.is_late
    assert not words.may_show()


class QuickStore:
    """A store that renews leases at once, and does not run what it is given."""

    def __init__(self, *, is_exclusive: bool) -> None:
        self.is_exclusive = is_exclusive
        self.writes = 0

    async def write_lease(self, body: object) -> None:
        self.writes += 1


def a_keeper(store: Any, clock: FakeClock) -> tuple[LeaseKeeper, LiveWords]:
    words = LiveWords(clock)
    return LeaseKeeper(store, "node", HOST, clock, EngineSettings(lease_seconds=12.0), words), words


async def test_a_lease_is_renewed_three_times_before_it_ends() -> None:
    clock, store = FakeClock(), QuickStore(is_exclusive=False)
    keeper, _ = a_keeper(store, clock)

    assert await keeper.renew() == 4.0
    assert keeper.job._wait == 4.0
    assert (keeper.seconds_left, keeper.is_late) == (12.0, False)
    clock.advance(8.0)
    assert (keeper.seconds_left, keeper.is_late) == (4.0, False)
    clock.advance(0.5)
    assert (keeper.seconds_left, keeper.is_late) == (3.5, True)


async def test_a_renewal_that_failed_is_tried_twelve_times_in_a_lease() -> None:
    clock = FakeClock()
    absent_store: Any = AbsentStore()
    keeper, _ = a_keeper(absent_store, clock)

    assert keeper.job._longest_pause == 1.0
    assert keeper.job._wait == 4.0


async def test_a_store_of_one_node_needs_no_lease() -> None:
    clock, store = FakeClock(), QuickStore(is_exclusive=True)
    keeper, words = a_keeper(store, clock)

    assert keeper.job._wait is None
    assert await keeper.renew() is None
    assert (keeper.seconds_left, keeper.is_late, store.writes) == (None, False, 0)
    clock.advance(1e9)
    assert words.may_show()


class NodesOnly:
    """A transaction, and a store of it, that notes what becomes of the nodes."""

    is_exclusive = False

    def __init__(self) -> None:
        self.nodes = self
        self.noted: list[tuple[object, ...]] = []

    async def write_lease(self, body: Callable[["NodesOnly"], Awaitable[None]]) -> None:
        await body(self)

    async def now(self) -> float:
        return 500.0

    async def renew(self, node: str, lease_until: float, *, host: str) -> None:
        self.noted.append((node, lease_until, host))

    async def retire(self, node: str) -> None:
        self.noted.append((node,))


async def test_a_lease_is_written_by_the_stores_clock_for_this_machine_and_given_up() -> None:
    store = NodesOnly()
    keeper, _ = a_keeper(store, FakeClock())
    await keeper.job.look()
    await keeper.give_up()

    assert store.noted == [("node", 512.0, HOST.id), ("node",)]
