"""Runs work to its end even if its caller is cancelled."""

import asyncio
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread_to_its_end(act: Callable[[], T]) -> T:
    """Run `act` in a thread. A caller that is cancelled, even twice, waits for it, because what it holds, such as a
    lock, has to be held until then.
    """
    job = asyncio.ensure_future(asyncio.to_thread(act))
    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        while not job.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([job])
        raise


class UnderWay:
    def __init__(self) -> None:
        # Each job with the ids that it is about.
        self.jobs: dict[asyncio.Task[Any], Collection[str]] = {}

    async def to_its_end(self, work: Coroutine[Any, Any, T], about: Collection[str] = ()) -> T:
        job = asyncio.create_task(work)
        self.jobs[job] = about
        job.add_done_callback(self._forget)
        return await asyncio.shield(job)

    async def ended(self) -> None:
        while self.jobs:
            await asyncio.wait(self.jobs)

    def _forget(self, job: asyncio.Task[Any]) -> None:
        del self.jobs[job]
        # Retrieve the exception, or asyncio logs it as never retrieved when the caller was cancelled.
        if not job.cancelled():
            job.exception()
