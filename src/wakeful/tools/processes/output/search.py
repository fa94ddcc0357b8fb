"""The search of one output for the patterns of its task: tells what it finds, and remembers how far it came."""

import asyncio
import logging
import time

from wakeful.errors import StoreError
from wakeful.model.tasks.task import Task
from wakeful.tools.ports import TaskLedger
from wakeful.tools.processes.output.notices import match_of
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.output.watch import CHUNK, Found, Watch, WatchState, load_state, skip_to
from wakeful.tools.processes.persistence import until_written

# Unsaved progress costs a restart some reading; a save costs a commit.
_PROGRESS = 64 * 1024 * 1024
# One part of an output that is searched without looking up.
_CHUNKS = 32
# The end of a process waits for the search of so much of its output, and for one chunk when this time is over.
_REST = 4 * 1024 * 1024
_PATIENCE = 0.02

logger = logging.getLogger(__name__)


class Search:
    def __init__(self, task: Task, output: Output, watch: Watch, ledger: TaskLedger) -> None:
        self._task = task
        self._output = output
        self._watch = watch
        self._ledger = ledger
        self._state = self._saved = load_state(task.watch)
        self._is_telling = False

    async def go_on(self, gone: asyncio.Event) -> bool:
        """Search a part of what is new, and tell of what was held back long enough. True when nothing is left to do
        for now; a process that is gone is not searched any further.
        """
        if self._state.is_off:
            return True
        state, found, is_at_end = await asyncio.to_thread(self._walk, gone)
        await self._write(state, found)
        if state.offset - self._saved.offset >= _PROGRESS:
            await self.save()
        return is_at_end and found is None

    async def finish(self) -> None:
        """The process is gone: search the rest, as far as its end can wait for that, and hold nothing back."""
        if self._state.is_off:
            return
        state, found = self._watch.release(await asyncio.to_thread(self._search_rest))
        await self._write(state, found)
        if state.skipped:
            logger.warning("process %s: %d bytes of its output were not searched", self._task.id, state.skipped)
            await self.save()

    def wait(self) -> float | None:
        """In how many seconds it must go on, even if nothing is new."""
        return self._watch.wait(self._state)

    async def save(self) -> None:
        """While a match is being written the state behind it is, too."""
        if self._state == self._saved or self._is_telling:
            return
        try:
            await self._ledger.save_watch(self._task.id, self._state.dump())
            self._saved = self._state
        except StoreError as error:
            # It costs a restart some reading, and tells nothing twice.
            logger.warning("process %s: how far it was searched could not be written: %s", self._task.id, error)

    def _walk(self, gone: asyncio.Event) -> tuple[WatchState, Found | None, bool]:
        """Up to something to tell of, to the end of what is there, or to the end of this part."""
        state, found, is_at_end = self._state, None, False
        for _ in range(_CHUNKS):
            data = self._output.read(state.offset, state.offset + CHUNK)
            is_at_end = len(data) < CHUNK
            state, found = self._watch.step(state, data, is_whole=False)
            if found is not None or is_at_end or gone.is_set():
                break
        return state, found, is_at_end

    def _search_rest(self) -> WatchState:
        end = self._output.size()
        state = skip_to(self._state, end - _REST)
        deadline = time.monotonic() + _PATIENCE
        is_whole = False
        while not is_whole:
            if time.monotonic() >= deadline:
                state = skip_to(state, end - CHUNK)
            data = self._output.read(state.offset, min(state.offset + CHUNK, end))
            # A file that has shrunk meanwhile ends earlier.
            is_whole = state.offset + len(data) >= end or len(data) < CHUNK
            state = self._watch.hold(state, data, is_whole=is_whole)
        return state

    async def _write(self, state: WatchState, found: Found | None) -> None:
        if found is not None:
            await self._tell(state, found)
        self._state = state

    async def _tell(self, state: WatchState, found: Found) -> None:
        match = await asyncio.to_thread(match_of, self._task, found, self._output)
        # A watch that is too much becomes a notice of the end.
        will_notify = True if found.is_last else None
        self._is_telling = True
        await until_written(lambda: self._ledger.match(self._task.id, match, state.dump(), will_notify=will_notify))
        self._is_telling = False
        self._saved = state
