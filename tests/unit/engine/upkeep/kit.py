"""A clock for jobs that pause between their steps."""

import asyncio

from tests.engine.kit import FakeClock


class HurriedClock(FakeClock):
    """Waits for nothing, and notes for how long it would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        self.waits.append(seconds)
