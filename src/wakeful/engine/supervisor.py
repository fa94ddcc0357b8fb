"""Runs the background jobs of a server, each in an asyncio task, and ends them together."""

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
        """End these jobs, or all without arguments. Jobs that were not started are ignored."""
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
        """Return the name and counts of every job that was started, ended ones included."""
        return ((job.name, job.counts) for job in self._tasks)
