"""The search of one output for the patterns of its task: tells what it finds, and remembers how far it came."""

import asyncio
import logging

from wakeful.errors import StoreError
from wakeful.model.task import Task
from wakeful.tools.ports import TaskLedger
from wakeful.tools.processes.notices import match_of
from wakeful.tools.processes.output import Output
from wakeful.tools.processes.persistence import until_written
from wakeful.tools.processes.watch import CHUNK, Found, Watch, WatchState, load_state

# Unsaved progress costs a restart some reading; a save costs a commit.
_PROGRESS = 1024 * 1024

logger = logging.getLogger(__name__)


class Search:
    def __init__(self, task: Task, output: Output, watch: Watch, ledger: TaskLedger) -> None:
        self._task = task
        self._output = output
        self._watch = watch
        self._ledger = ledger
        self._state = self._saved = load_state(task.watch)
        self._is_telling = False

    async def go_on(self, *, is_whole: bool) -> None:
        """Search what is new. `is_whole`: no more will come."""
        while not self._state.is_off:
            state, found, is_at_end = await asyncio.to_thread(self._step, is_whole=is_whole)
            if found is not None:
                await self._tell(state, found)
            self._state = state
            if is_at_end and found is None:
                break
        if self._state.offset - self._saved.offset >= _PROGRESS:
            await self.save()

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

    def _step(self, *, is_whole: bool) -> tuple[WatchState, Found | None, bool]:
        data = self._output.read(self._state.offset, self._state.offset + CHUNK)
        is_at_end = len(data) < CHUNK
        state, found = self._watch.step(self._state, data, is_whole=is_whole and is_at_end)
        return state, found, is_at_end

    async def _tell(self, state: WatchState, found: Found) -> None:
        match = await asyncio.to_thread(match_of, self._task, found, self._output)
        # A watch that is too much becomes a notice of the end.
        will_notify = True if found.is_last else None
        self._is_telling = True
        await until_written(lambda: self._ledger.match(self._task.id, match, state.dump(), will_notify=will_notify))
        self._is_telling = False
        self._saved = state
