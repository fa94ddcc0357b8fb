"""A thread that does whatever is queued, in groups, and gives the results back to the event loop in one go.

Going to another thread and back costs more than most statements; a group pays for it once.
"""

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from wakeful.errors import StoreUnavailable

W = TypeVar("W")

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class WorkItem(Generic[W]):
    work: W
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None

    def settle(self) -> None:
        if self.future.done():
            return  # Its caller has gone away.
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Worker(Generic[W]):
    """`choose` says what of the waiting jobs comes next, `do` does it on the thread, and `tell` hears on the event
    loop what `do` returned, before those who asked get their results.
    """

    def __init__(
        self,
        name: str,
        choose: Callable[[list[WorkItem[W]]], list[WorkItem[W]]],
        do: Callable[[list[WorkItem[W]]], Any],
        tell: Callable[[Any], None],
    ) -> None:
        self._choose = choose
        self._do = do
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[WorkItem[W] | None] = queue.SimpleQueue()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: W) -> asyncio.Future[Any]:
        if self._is_closed:
            raise StoreUnavailable("The database is closed: the server is stopping.")
        future: asyncio.Future[Any] = self._loop.create_future()
        self._jobs.put(WorkItem(work, future))
        return future

    async def close(self) -> None:
        """Do what is queued, then end the thread."""
        if not self._is_closed:
            self._is_closed = True
            self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        waiting: list[WorkItem[W]] = []
        is_last = False
        while not is_last or waiting:
            is_last |= self._gather(waiting)
            if waiting:
                group = self._choose(waiting)
                done = self._attempt(group)
                self._loop.call_soon_threadsafe(self._finish, group, done)

    def _attempt(self, group: list[WorkItem[W]]) -> Any:
        """The thread must live on: without it everybody would wait for ever."""
        try:
            return self._do(group)
        except Exception as error:
            logger.exception("%s broke", self._thread.name)
            for job in group:
                job.error = error
            return None

    def _gather(self, waiting: list[WorkItem[W]]) -> bool:
        """Add what is queued to what waits; sleep only when there is nothing to do. True when nothing more comes."""
        try:
            while (job := self._jobs.get(block=not waiting)) is not None:
                waiting.append(job)
        except queue.Empty:
            return False
        return True

    def _finish(self, group: list[WorkItem[W]], done: Any) -> None:
        self._tell(done)
        for job in group:
            job.settle()
