"""The clock on the wall."""

import asyncio
from contextlib import suppress


class SystemClock:
    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
