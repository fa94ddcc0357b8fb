"""The SQLite store: a file that one process has open, with a thread each to write, read and search."""

import asyncio
import sqlite3
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from wakeful.errors import StoreReadOnly, StoreUnavailable
from wakeful.model.opening import Opened, Opening
from wakeful.model.store_stats import StoreStats
from wakeful.store.base import Body
from wakeful.store.sqlite.connection import connect, translated
from wakeful.store.sqlite.lock import FileLock
from wakeful.store.sqlite.migrate import migrate
from wakeful.store.sqlite.notifier import LocalNotifier
from wakeful.store.sqlite.reader import SqliteReader
from wakeful.store.sqlite.space import prepare
from wakeful.store.sqlite.writer import SqliteWriter

T = TypeVar("T")


class SqliteStore:
    is_exclusive = True
    # No other process can open the file.
    words = None

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float],
        *,
        synchronous: str = "FULL",
        busy_seconds: float = 5.0,
    ) -> None:
        self._path = path
        self._clock = clock
        self._synchronous = synchronous
        self._busy_seconds = busy_seconds
        self._lock = FileLock(path.with_name(path.name + ".lock"))
        self._reader: SqliteReader | None = None
        # Searches may take long: other reads do not wait for them.
        self._searcher: SqliteReader | None = None
        self._writer: SqliteWriter | None = None
        self._is_closed = False
        self.notifier = LocalNotifier()
        self.stats = StoreStats()

    async def open(self) -> None:
        self._prepare_folder()
        self._lock.acquire()
        opening = asyncio.create_task(asyncio.to_thread(self._connect_all))
        try:
            # Shielded, because the lock must be held as long as the thread may be migrating.
            writing, reading, searching = await asyncio.shield(opening)
        except asyncio.CancelledError:
            await asyncio.gather(opening, return_exceptions=True)
            self._lock.release()
            raise
        except BaseException:
            self._lock.release()
            raise
        self._writer = SqliteWriter(writing, self._path, self._clock, self.notifier, self.stats)
        self._reader = SqliteReader(reading, self._path, self._clock)
        self._searcher = SqliteReader(searching, self._path, self._clock)

    async def close(self) -> None:
        self._is_closed = True
        for reader in (self._reader, self._searcher):
            if reader is not None:
                await reader.close()
        if self._writer is not None:
            await self._writer.close()
        self._lock.release()

    async def write(self, body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        # There is one writer, so every session is locked; `lock` only serves to check what the body writes.
        with self.stats.writing():
            result: T = await self._open_writer().write(body, lock)
        return result

    async def write_lease(self, body: Body[T]) -> T:
        return await self.write(body)

    async def read(self, body: Body[T]) -> T:
        self._open_writer()
        assert self._reader is not None
        result: T = await self._reader.submit(body)
        self.stats.note_success()
        return result

    async def search(self, body: Body[T]) -> T:
        self._open_writer()
        assert self._searcher is not None
        result: T = await self._searcher.submit(body)
        return result

    async def open_new(self, opening: Opening) -> Opened:
        opened: Opened = await self._open_writer().open(opening)
        return opened

    def _open_writer(self) -> SqliteWriter:
        if self._is_closed:
            raise StoreUnavailable("The database is closed: the server is stopping.")
        if self._writer is None:
            raise RuntimeError("the store is not open")
        return self._writer

    def _prepare_folder(self) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._path.with_name(self._path.name + ".lock").touch(mode=0o600)
        except OSError as error:
            raise StoreReadOnly(f"{self._path} cannot be written: {error.strerror}.") from error

    def _connect_all(self) -> tuple[sqlite3.Connection, sqlite3.Connection, sqlite3.Connection]:
        """Migrate, and return the connections to write, to read and to search."""
        try:
            writing = self._connect()
            try:
                migrate(writing, self._path)
                prepare(writing)
                return writing, self._connect(for_reading=True), self._connect(for_reading=True)
            except BaseException:
                writing.close()
                raise
        except sqlite3.Error as error:
            raise translated(error, self._path) from error

    def _connect(self, *, for_reading: bool = False) -> sqlite3.Connection:
        return connect(
            self._path,
            synchronous=self._synchronous,
            busy_seconds=self._busy_seconds,
            for_reading=for_reading,
        )
