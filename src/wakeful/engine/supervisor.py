"""The background jobs of a server: each in a task of its own, counted, and ended together."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from wakeful.engine.job import Job, JobCounts


class Supervisor:
    def __init__(self) -> None:
        self._tasks: dict[Job, asyncio.Task[None]] = {}

    def start(self, *jobs: Job) -> None:
        for job in jobs:
            self._tasks[job] = asyncio.create_task(job.run(), name=job.name)

    async def end(self, *jobs: Job) -> None:
        """End these, or all; those that have not been started are not missed."""
        tasks = [task for job, task in self._tasks.items() if not jobs or job in jobs]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @asynccontextmanager
    async def at_work(self, job: Job) -> AsyncIterator[None]:
        self.start(job)
        try:
            yield
        finally:
            await self.end(job)

    def counts(self) -> Iterator[tuple[str, JobCounts]]:
        """Of all that were started since the server was."""
        return ((job.name, job.counts) for job in self._tasks)
