"""The system's clocks: a monotonic one that counts sleep, and waits that notice when the wall clock is set."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

# CLOCK_BOOTTIME also counts the time that the machine sleeps; not every system has it.
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
# An event loop's timers stop while the machine sleeps, so waits are split into naps of at most this length.
_LONGEST_NAP_SECONDS = 1.0
# A smaller jump of the wall clock is a correction, not a new setting.
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
        """Wait for the event, `seconds` at most, counting the time that the machine sleeps. Returns early when the
        wall clock is set: work with a stored time may be due.
        """
        end = float("inf") if seconds is None else self._since_boot() + seconds
        before = self._offset()
        while (left := end - self._since_boot()) > 0 and abs(self._offset() - before) < _CORRECTION_SECONDS:
            with suppress(TimeoutError):
                async with asyncio.timeout(None if seconds is None else min(left, self._nap)):
                    await event.wait()
                    return

    def _offset(self) -> float:
        return self._wall() - self._since_boot()
