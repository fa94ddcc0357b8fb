"""What has been asked of the server and is not answered yet."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class UnderWay:
    def __init__(self) -> None:
        self._jobs: set[asyncio.Task[Any]] = set()

    async def to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        """What has begun goes on when its caller goes away: after half a COMMIT nobody would know what holds, and a
        connection that is left in mid-statement cannot be used again for a while.
        """
        job = asyncio.create_task(work)
        self._jobs.add(job)
        job.add_done_callback(self._forget)
        return await asyncio.shield(job)

    async def ended(self) -> None:
        while self._jobs:
            await asyncio.wait(self._jobs)

    def _forget(self, job: asyncio.Task[Any]) -> None:
        self._jobs.discard(job)
        # Its caller may have gone away: asyncio would log the error as one that was never looked at.
        if not job.cancelled():
            job.exception()
