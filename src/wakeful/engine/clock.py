"""The clock on the wall."""

import asyncio
import time
from contextlib import suppress

# Where there is one, the clock that goes on while the machine sleeps.
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    def monotonic(self) -> float:
        return time.clock_gettime(_SINCE_BOOT)

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
