"""Searches one output for the watch patterns of its task, posts what matches, and saves how far it got."""

import asyncio
import logging
import time

from wakeful.errors import StoreError
from wakeful.model.tasks.task import Task
from wakeful.tools.ports import TaskLedger
from wakeful.tools.processes.output.notices import match_of
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.output.watch import CHUNK, Watch, WatchReport, WatchState, load_state, skip_to
from wakeful.tools.processes.persistence import until_written

# Save after so many bytes: unsaved progress costs a restart some reading, a save costs a commit.
_PROGRESS = 64 * 1024 * 1024
# How many chunks are searched before the disk and the process are checked again.
_CHUNKS = 32
# When a process has ended, so many of its last bytes are searched within so many seconds; after that, one last chunk.
_REST = 4 * 1024 * 1024
_PATIENCE = 0.02

logger = logging.getLogger(__name__)


class OutputSearch:
    def __init__(self, task: Task, output: Output, watch: Watch, ledger: TaskLedger) -> None:
        self._task = task
        self._output = output
        self._watch = watch
        self._ledger = ledger
        self._state = self._saved = load_state(task.watch)
        self._is_posting = False

    async def go_on(self, gone: asyncio.Event) -> bool:
        """Search the next part of the output, and post what is due. Return True when nothing is left to do for now.
        Stops early once the process is gone: `finish` searches the rest.
        """
        if self._state.is_off:
            return True
        state, report, is_at_end = await asyncio.to_thread(self._walk, gone)
        await self._write(state, report)
        if state.offset - self._saved.offset >= _PROGRESS:
            await self.save()
        return is_at_end and report is None

    async def finish(self) -> None:
        """Search the rest after the process has ended, as far as its end can wait for that, and hold nothing back."""
        if self._state.is_off:
            return
        state, report = self._watch.release(await asyncio.to_thread(self._search_rest))
        await self._write(state, report)
        if state.skipped:
            logger.warning("process %s: %d bytes of its output were not searched", self._task.id, state.skipped)
            await self.save()

    def wait(self) -> float | None:
        """Return the seconds until `go_on` must be called even if the output has not grown, or None."""
        return self._watch.wait(self._state)

    async def save(self) -> None:
        """Store how far the output was searched, unless a match is being written: that stores it too."""
        if self._state == self._saved or self._is_posting:
            return
        try:
            await self._ledger.save_watch(self._task.id, self._state.dump())
            self._saved = self._state
        except StoreError as error:
            # A restart has to read a bit more, but posts nothing twice.
            logger.warning("process %s: the progress of its watch could not be saved: %s", self._task.id, error)

    def _walk(self, gone: asyncio.Event) -> tuple[WatchState, WatchReport | None, bool]:
        """Search up to the next report, the end of the output so far, or the end of this part."""
        state, report, is_at_end = self._state, None, False
        for _ in range(_CHUNKS):
            data = self._output.read(state.offset, state.offset + CHUNK)
            is_at_end = len(data) < CHUNK
            state, report = self._watch.step(state, data, is_whole=False)
            if report is not None or is_at_end or gone.is_set():
                break
        return state, report, is_at_end

    def _search_rest(self) -> WatchState:
        end = self._output.size()
        state = skip_to(self._state, end - _REST)
        deadline = time.monotonic() + _PATIENCE
        is_whole = False
        while not is_whole:
            if time.monotonic() >= deadline:
                state = skip_to(state, end - CHUNK)
            data = self._output.read(state.offset, min(state.offset + CHUNK, end))
            # A file that shrank meanwhile ends earlier.
            is_whole = state.offset + len(data) >= end or len(data) < CHUNK
            state = self._watch.hold(state, data, is_whole=is_whole)
        return state

    async def _write(self, state: WatchState, report: WatchReport | None) -> None:
        if report is not None:
            await self._post(state, report)
        self._state = state

    async def _post(self, state: WatchState, report: WatchReport) -> None:
        match = await asyncio.to_thread(match_of, self._task, report, self._output)
        # A watch that matched too often turns itself off; the agent is notified of the end instead.
        will_notify = True if report.is_last else None
        self._is_posting = True
        await until_written(lambda: self._ledger.match(self._task.id, match, state.dump(), will_notify=will_notify))
        self._is_posting = False
        self._saved = state
