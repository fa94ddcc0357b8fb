"""A thread that does queued work in groups, and returns each group's results to the event loop at once.

A switch to another thread and back costs more than most statements; a group pays for it once.
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
            return  # The caller was cancelled.
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Worker(Generic[W]):
    """Runs work on a thread: `choose` takes the next group from the waiting items, `do` does it on the thread, and
    `report` gets what `do` returned, on the event loop, before the callers get their results.
    """

    def __init__(
        self,
        name: str,
        choose: Callable[[list[WorkItem[W]]], list[WorkItem[W]]],
        do: Callable[[list[WorkItem[W]]], Any],
        report: Callable[[Any], None],
    ) -> None:
        self._choose = choose
        self._do = do
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[WorkItem[W] | None] = queue.SimpleQueue()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: W) -> asyncio.Future[Any]:
        if self._is_closed:
            raise StoreUnavailable("The database is closed: the server is stopping.")
        future: asyncio.Future[Any] = self._loop.create_future()
        self._queue.put(WorkItem(work, future))
        return future

    async def close(self) -> None:
        """Do the queued work, then end the thread."""
        if not self._is_closed:
            self._is_closed = True
            self._queue.put(None)
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
        """Do the work and keep the thread alive: without it all callers would wait for ever."""
        try:
            return self._do(group)
        except BaseException as error:
            logger.exception("the thread %s failed unexpectedly, and so did the work of its callers", self._thread.name)
            for item in group:
                item.error = error
            return None

    def _gather(self, waiting: list[WorkItem[W]]) -> bool:
        """Move queued items to `waiting`; block only when it is empty. Return whether the worker was closed."""
        try:
            while (item := self._queue.get(block=not waiting)) is not None:
                waiting.append(item)
        except queue.Empty:
            return False
        return True

    def _finish(self, group: list[WorkItem[W]], done: Any) -> None:
        self._report(done)
        for item in group:
            item.settle()
