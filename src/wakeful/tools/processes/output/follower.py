"""Follows the output of one process while it grows: keeps it from filling the disk and looks for watch patterns."""

import asyncio

from wakeful.tools.processes.output.changes import Changes
from wakeful.tools.processes.output.guard import OutputGuard
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.output.search import OutputSearch

# Seconds between two checks of an output that grows all the time, without and with a watch.
_PAUSE = 0.25
_PAUSE_OF_WATCH = 0.05


class Follower:
    """Without a search it only guards the disk."""

    def __init__(
        self, output: Output, changes: Changes, guard: OutputGuard, search: OutputSearch | None = None
    ) -> None:
        self._output = output
        self._changes = changes
        self._guard = guard
        self._search = search
        self._pause = _PAUSE if search is None else _PAUSE_OF_WATCH

    async def run(self, gone: asyncio.Event) -> None:
        """Return once the process is gone and its output is searched, as far as its end can wait for that."""
        while not gone.is_set():
            changed = self._changes.arm(self._output.path)
            await self._trim()
            # A backlog is searched without pauses, but the disk is checked after each part.
            if self._search is not None and not await self._search.go_on(gone):
                continue
            await _either(gone, within=self._pause)
            await _either(gone, changed, within=self._search.wait() if self._search is not None else None)
        self._changes.disarm(self._output.path)
        await self._trim()
        if self._search is not None:
            await self._search.finish()

    async def save(self) -> None:
        if self._search is not None:
            await self._search.save()

    async def _trim(self) -> None:
        if self._guard.is_too_large(self._output.path):
            await asyncio.to_thread(self._guard.trim, self._output.path)


async def _either(*events: asyncio.Event, within: float | None = None) -> None:
    """Wait until one of the events is set or the time is over."""
    jobs = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(jobs, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for job in jobs:
            job.cancel()
