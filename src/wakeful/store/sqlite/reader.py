"""Reads a SQLite file on a thread with its own connection, which the writer never blocks."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wakeful.store.base import Body
from wakeful.store.footprint import Footprint
from wakeful.store.sqlite.connection import translated
from wakeful.store.sqlite.transaction import SqliteTransaction, run_without_waiting
from wakeful.store.sqlite.worker import Worker, WorkItem

# Small, so that short reads do not wait long for long ones.
_LARGEST_GROUP = 32


class SqliteReader:
    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock
        self._worker: Worker[Body[Any]] = Worker("wakeful-reader", _choose, self._read_all, lambda _: None)

    def submit(self, body: Body[Any]) -> asyncio.Future[Any]:
        return self._worker.submit(body)

    async def close(self) -> None:
        await self._worker.close()
        self._connection.close()

    def _read_all(self, group: list[WorkItem[Body[Any]]]) -> None:
        for item in group:
            try:
                item.result = self._read(item.work)
            except sqlite3.Error as error:
                item.error = translated(error, self._path)
            except Exception as error:  # The body raised it: only its caller gets it.
                item.error = error

    def _read(self, body: Body[Any]) -> Any:
        self._connection.execute("BEGIN")
        try:
            return run_without_waiting(body(SqliteTransaction(self._connection, self._clock, Footprint(None))))
        finally:
            self._connection.execute("COMMIT")


def _choose(waiting: list[WorkItem[Body[Any]]]) -> list[WorkItem[Body[Any]]]:
    group = waiting[:_LARGEST_GROUP]
    del waiting[:_LARGEST_GROUP]
    return group
