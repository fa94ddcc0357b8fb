"""The one writer of a SQLite file: a thread that commits whatever is queued, as one group, without a timer."""

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from wakeful.errors import StoreError, StoreUnavailable
from wakeful.store.base import Signal
from wakeful.store.footprint import Footprint
from wakeful.store.sqlite.connection import translate
from wakeful.store.sqlite.notifier import LocalNotifier
from wakeful.store.sqlite.transaction import SqliteTransaction

T = TypeVar("T")

logger = logging.getLogger(__name__)

# A group is bounded so that the first in it does not wait for ever while others keep coming.
_LARGEST_GROUP = 1000


@dataclass(slots=True)
class _Job:
    work: Callable[[SqliteTransaction], Any]
    lock: Collection[str]
    future: asyncio.Future[Any]
    # Work that decides everything in its first statement cannot leave a half-done write behind.
    needs_savepoint: bool
    result: Any = None
    error: BaseException | None = None


class Writer:
    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        clock: Callable[[], float],
        notifier: LocalNotifier,
    ) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock
        self._notifier = notifier
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="wakeful-writer", daemon=True)
        self._thread.start()

    def submit(
        self,
        work: Callable[[SqliteTransaction], T],
        *,
        lock: Collection[str] = (),
        needs_savepoint: bool = True,
    ) -> asyncio.Future[T]:
        if self._is_closed:
            raise StoreUnavailable("The database is closed: the server is stopping.")
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(_Job(work, lock, future, needs_savepoint))
        return future

    async def close(self) -> None:
        """Commit what is queued, then end the thread."""
        if not self._is_closed:
            self._is_closed = True
            self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            group, is_last = self._gather(job)
            signal = self._commit(group)
            self._loop.call_soon_threadsafe(self._tell, group, signal)
            if is_last:
                return

    def _gather(self, first: _Job) -> tuple[list[_Job], bool]:
        group = [first]
        while len(group) < _LARGEST_GROUP:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                return group, True
            group.append(job)
        return group, False

    def _commit(self, group: list[_Job]) -> Signal | None:
        """Run the group in one transaction. When the commit itself fails, all of it has failed."""
        changed = Footprint(None)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job in group:
                self._attempt(job, changed)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._fail_all(group, error)
            return None
        return changed.signal

    def _attempt(self, job: _Job, changed: Footprint) -> None:
        footprint = Footprint(job.lock)
        try:
            if job.needs_savepoint:
                self._connection.execute("SAVEPOINT job")
            job.result = job.work(SqliteTransaction(self._connection, self._clock, footprint))
        except sqlite3.Error as error:
            # SQLite undid the whole group, as it does when the disk is full; or nothing can undo this job alone.
            if not self._connection.in_transaction or not job.needs_savepoint:
                raise
            job.error = self._translated(error)
        except Exception as error:  # The caller's own error: it gets it back; its neighbours do not notice.
            job.error = error
        else:
            changed.absorb(footprint)
        if job.needs_savepoint:
            if job.error is not None:
                self._connection.execute("ROLLBACK TO job")
            self._connection.execute("RELEASE job")

    def _fail_all(self, group: list[_Job], error: sqlite3.Error) -> None:
        for job in group:
            job.error = self._translated(error)
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            # The thread must live on: the next group's BEGIN tells whoever asks what is wrong.
            logger.exception("cannot undo a failed group in %s", self._path)

    def _translated(self, error: sqlite3.Error) -> StoreError:
        translated = translate(error, self._path)
        translated.__cause__ = error
        return translated

    def _tell(self, group: list[_Job], signal: Signal | None) -> None:
        """On the event loop. Listeners hear of a commit before those who asked for it go on."""
        if signal is not None:
            self._notifier.publish(signal)
        for job in group:
            if job.future.done():
                continue  # Whoever asked has gone away.
            if job.error is not None:
                job.future.set_exception(job.error)
            else:
                job.future.set_result(job.result)
