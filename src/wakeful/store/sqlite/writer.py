"""The one writer of a SQLite file: a thread that commits whatever is queued, as one group, without a timer."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wakeful.store.base import Body, Signal
from wakeful.store.footprint import Footprint
from wakeful.store.sqlite.connection import translated
from wakeful.store.sqlite.notifier import LocalNotifier
from wakeful.store.sqlite.transaction import SqliteTransaction, run_without_waiting
from wakeful.store.sqlite.worker import Job, Worker

logger = logging.getLogger(__name__)

# So many writes in one group: those in it wait for one another.
_MOST_WRITES = 256


@dataclass(frozen=True, slots=True)
class _Write:
    body: Body[Any]
    lock: Collection[str]


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
        self._worker: Worker[_Write] = Worker("wakeful-writer", _choose, self._commit, self._tell)

    def write(self, body: Body[Any], lock: Collection[str]) -> asyncio.Future[Any]:
        return self._worker.submit(_Write(body, lock))

    async def close(self) -> None:
        """Commit what is queued, then close."""
        await self._worker.close()
        self._connection.close()

    def _commit(self, group: list[Job[_Write]]) -> Signal | None:
        """Run the group in one transaction. When the commit itself fails, all of it has failed."""
        changed = Footprint(None)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job in group:
                self._attempt(job, job.work, changed)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            for job in group:
                job.error = translated(error, self._path)
            self._undo()
            return None
        except BaseException:
            self._undo()
            raise
        return changed.signal

    def _attempt(self, job: Job[Any], write: _Write, changed: Footprint) -> None:
        footprint = Footprint(write.lock)
        self._connection.execute("SAVEPOINT job")
        try:
            job.result = run_without_waiting(write.body(SqliteTransaction(self._connection, self._clock, footprint)))
        except sqlite3.Error as error:
            if not self._connection.in_transaction:
                raise  # SQLite undid the whole group, as it does when the disk is full.
            job.error = translated(error, self._path)
        except Exception as error:  # The caller's own error: it gets it back; its neighbours do not notice.
            job.error = error
        else:
            changed.absorb(footprint)
        if job.error is not None:
            self._connection.execute("ROLLBACK TO job")
        self._connection.execute("RELEASE job")

    def _undo(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            # The next group's BEGIN tells whoever asks what is wrong.
            logger.exception("cannot undo a failed group in %s", self._path)

    def _tell(self, signal: Signal | None) -> None:
        """Listeners hear of a commit before those who asked for it go on."""
        if signal is not None:
            self._notifier.publish(signal)


def _choose(waiting: list[Job[_Write]]) -> list[Job[_Write]]:
    group = waiting[:_MOST_WRITES]
    del waiting[:_MOST_WRITES]
    return group
