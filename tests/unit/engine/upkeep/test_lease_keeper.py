"""How long a node may believe that its lease holds."""

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
