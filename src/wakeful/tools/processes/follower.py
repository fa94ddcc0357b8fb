"""Follows the output of one process while it grows: keeps it from filling the disk and looks for watch patterns."""

import asyncio

from wakeful.tools.processes.changes import Changes
from wakeful.tools.processes.output import Output
from wakeful.tools.processes.output_guard import OutputGuard
from wakeful.tools.processes.search import Search

# Between two looks at an output that grows all the time.
_PAUSE = 0.25
_PAUSE_OF_WATCH = 0.05


class Follower:
    """Without a watch it only guards the disk."""

    def __init__(self, output: Output, changes: Changes, guard: OutputGuard, search: Search | None = None) -> None:
        self._output = output
        self._changes = changes
        self._guard = guard
        self._search = search
        self._pause = _PAUSE if search is None else _PAUSE_OF_WATCH

    async def run(self, gone: asyncio.Event) -> None:
        """Until the process is gone, and everything that it has said was looked at."""
        while not gone.is_set():
            changed = self._changes.arm(self._output.path)
            await self._look(is_whole=False)
            await _either(gone, within=self._pause)
            await _either(gone, changed)
        self._changes.disarm(self._output.path)
        await self._look(is_whole=True)

    async def save(self) -> None:
        if self._search is not None:
            await self._search.save()

    async def _look(self, *, is_whole: bool) -> None:
        if self._guard.is_too_large(self._output.path):
            await asyncio.to_thread(self._guard.trim, self._output.path)
        if self._search is not None:
            await self._search.go_on(is_whole=is_whole)


async def _either(*events: asyncio.Event, within: float | None = None) -> None:
    """Wait until one of them is set, or the time is over."""
    jobs = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(jobs, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for job in jobs:
            job.cancel()
