"""The clock on the wall."""

import asyncio
import time
from contextlib import suppress


class SystemClock:
    def monotonic(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
