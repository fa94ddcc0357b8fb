"""The only writer of a SQLite file: a thread that commits all queued writes as one group, without a timer."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wakeful.model.opening import Opened, Opening
from wakeful.model.store_stats import StoreStats
from wakeful.store.base import Body, Transaction
from wakeful.store.footprint import Footprint
from wakeful.store.sqlite.connection import translated
from wakeful.store.sqlite.notifier import LocalNotifier
from wakeful.store.sqlite.tables.turns.openings import open_all
from wakeful.store.sqlite.transaction import SqliteTransaction, run_without_waiting
from wakeful.store.sqlite.worker import Worker, WorkItem

logger = logging.getLogger(__name__)

# The largest group: the writes in it wait for one another.
_MOST_WRITES = 256


@dataclass(frozen=True, slots=True)
class _Write:
    body: Body[Any]
    lock: Collection[str]


# Openings are those of new sessions.
_Work = _Write | Opening


@dataclass(frozen=True, slots=True)
class _Commit:
    # None when the commit failed.
    changed: Footprint | None
    size: int
    seconds: float


class SqliteWriter:
    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        clock: Callable[[], float],
        notifier: LocalNotifier,
        stats: StoreStats,
    ) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock
        self._notifier = notifier
        self._stats = stats
        self._worker: Worker[_Work] = Worker("wakeful-writer", _choose, self._commit, self._publish)

    def write(self, body: Body[Any], lock: Collection[str]) -> asyncio.Future[Any]:
        return self._worker.submit(_Write(body, lock))

    def open(self, opening: Opening) -> asyncio.Future[Any]:
        return self._worker.submit(opening)

    async def close(self) -> None:
        """Commit the queued writes, then close."""
        await self._worker.close()
        self._connection.close()

    def _commit(self, group: list[WorkItem[_Work]]) -> _Commit:
        began = time.perf_counter()
        changed = self._commit_together(group)
        return _Commit(changed, len(group), time.perf_counter() - began)

    def _commit_together(self, group: list[WorkItem[_Work]]) -> Footprint | None:
        """Run the group in one transaction. When the commit fails, all of its writes have failed."""
        changed = Footprint(None)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._open([item for item in group if isinstance(item.work, Opening)], changed)
            for item in group:
                if isinstance(item.work, _Write):
                    self._attempt(item, item.work, changed)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            for item in group:
                item.error = translated(error, self._path)
            self._undo()
            return None
        except BaseException:
            self._undo()
            raise
        return changed

    def _open(self, items: list[WorkItem[Any]], changed: Footprint) -> None:
        """Write all openings with a handful of statements, as the first of the group. If one of them cannot be written,
        retry them one by one.
        """
        try:
            opened = open_all(self._connection, self._clock(), [item.work for item in items])
        except Exception as error:
            logger.debug("retrying a group of %d openings one by one: %s", len(items), error)
            self._undo()
            self._connection.execute("BEGIN IMMEDIATE")
            for item in items:
                self._attempt(item, _Write(partial(_open_one, item.work), ()), changed)
        else:
            for item, one in zip(items, opened, strict=True):
                item.result = one
                changed.note_appended(one.events)

    def _attempt(self, item: WorkItem[Any], write: _Write, changed: Footprint) -> None:
        footprint = Footprint(write.lock)
        self._connection.execute("SAVEPOINT item")
        try:
            item.result = run_without_waiting(write.body(SqliteTransaction(self._connection, self._clock, footprint)))
        except sqlite3.Error as error:
            if not self._connection.in_transaction:
                raise  # SQLite rolled back the whole group, as it does when the disk is full.
            item.error = translated(error, self._path)
        except Exception as error:  # The body raised it: only its caller gets it.
            item.error = error
        else:
            changed.absorb(footprint)
        if item.error is not None:
            self._connection.execute("ROLLBACK TO item")
        self._connection.execute("RELEASE item")

    def _undo(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            # The next group's BEGIN will fail, too, and its callers get the error.
            logger.exception("cannot roll back a failed group in %s", self._path)

    def _publish(self, done: _Commit | None) -> None:
        """Notify the listeners, before the callers of the commit continue."""
        if done is None or done.changed is None:
            return
        self._stats.note_commit(done.size, done.seconds)
        if (signal := done.changed.signal) is not None:
            self._notifier.publish(signal)


async def _open_one(opening: Opening, tx: Transaction) -> Opened:
    return await tx.open(opening)


def _choose(waiting: list[WorkItem[_Work]]) -> list[WorkItem[_Work]]:
    group = waiting[:_MOST_WRITES]
    del waiting[:_MOST_WRITES]
    return group
