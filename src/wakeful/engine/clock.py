"""The clock on the wall."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

# Where there is one, the clock that goes on while the machine sleeps.
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
# The timers of an event loop stand still while the machine sleeps: no one of them is longer than this.
_LONGEST_NAP_SECONDS = 1.0
# A clock that is corrected by less than this was not set.
_CORRECTION_SECONDS = 0.5


def _since_boot() -> float:
    return time.clock_gettime(_SINCE_BOOT)


class SystemClock:
    def __init__(
        self,
        since_boot: Callable[[], float] = _since_boot,
        wall: Callable[[], float] = time.time,
        nap_seconds: float = _LONGEST_NAP_SECONDS,
    ) -> None:
        self._since_boot = since_boot
        self._wall = wall
        self._nap = nap_seconds

    def monotonic(self) -> float:
        return self._since_boot()

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """It ends early when the wall clock is set: what was to be done at a stored time may be due. The time that the
        machine sleeps counts.
        """
        end = float("inf") if seconds is None else self._since_boot() + seconds
        before = self._ahead()
        while (left := end - self._since_boot()) > 0 and abs(self._ahead() - before) < _CORRECTION_SECONDS:
            with suppress(TimeoutError):
                async with asyncio.timeout(None if seconds is None else min(left, self._nap)):
                    await event.wait()
                    return

    def _ahead(self) -> float:
        return self._wall() - self._since_boot()
