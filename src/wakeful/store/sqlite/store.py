"""The SQLite store: a file, one writer thread, a few reader threads. The default; one engine holds it."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from wakeful.errors import StoreReadOnly, StoreUnavailable
from wakeful.model.event import Event, NewEvent
from wakeful.model.turn import Lease
from wakeful.store.base import Body
from wakeful.store.footprint import Footprint
from wakeful.store.sqlite.connection import connect, translated_errors
from wakeful.store.sqlite.lock import FileLock
from wakeful.store.sqlite.migrate import migrate
from wakeful.store.sqlite.notifier import LocalNotifier
from wakeful.store.sqlite.transaction import SqliteTransaction, run_without_waiting
from wakeful.store.sqlite.writer import Writer

T = TypeVar("T")

_READERS = 2


class SqliteStore:
    is_exclusive = True

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
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="wakeful-reader")
        self._of_thread = threading.local()
        self._reading: list[sqlite3.Connection] = []
        self._writing: sqlite3.Connection | None = None
        self._writer: Writer | None = None
        self._is_closed = False
        self.notifier = LocalNotifier()

    async def open(self) -> None:
        self._prepare_folder()
        self._lock.acquire()
        try:
            with translated_errors(self._path):
                self._writing = await asyncio.to_thread(self._connect_and_migrate)
        except BaseException:
            self._lock.release()
            raise
        self._writer = Writer(self._writing, self._path, self._clock, self.notifier)

    async def close(self) -> None:
        self._is_closed = True
        if self._writer is not None:
            await self._writer.close()
        await asyncio.to_thread(self._readers.shutdown)
        for connection in [*self._reading, *([self._writing] if self._writing else [])]:
            connection.close()
        self._reading.clear()
        self._writing = None
        self._lock.release()

    async def write(self, body: Body[T], *, lock: Collection[str] = ()) -> T:
        # The writer is alone, so every session is locked; the names are held against what the body writes.
        return await self._open_writer().submit(lambda tx: run_without_waiting(body(tx)), lock=lock)

    async def read(self, body: Body[T]) -> T:
        self._open_writer()
        with translated_errors(self._path):
            return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, body)

    async def append(self, lease: Lease, events: Sequence[NewEvent]) -> list[Event]:
        return await self._open_writer().submit(
            lambda tx: tx.events.append_fenced(lease, events), needs_savepoint=False
        )

    def _open_writer(self) -> Writer:
        if self._is_closed:
            raise StoreUnavailable("The database is closed: the server is stopping.")
        if self._writer is None:
            raise RuntimeError("the store is not open")
        return self._writer

    def _read(self, body: Body[T]) -> T:
        connection = self._reading_connection()
        connection.execute("BEGIN")
        try:
            return run_without_waiting(body(SqliteTransaction(connection, self._clock, Footprint(None))))
        finally:
            connection.execute("COMMIT")

    def _reading_connection(self) -> sqlite3.Connection:
        """Each reader thread has one of its own."""
        connection: sqlite3.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is None:
            connection = self._connect(for_reading=True)
            self._of_thread.connection = connection
            self._reading.append(connection)
        return connection

    def _prepare_folder(self) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._path.with_name(self._path.name + ".lock").touch(mode=0o600)
        except OSError as error:
            raise StoreReadOnly(f"{self._path} cannot be written: {error.strerror}.") from error

    def _connect_and_migrate(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            migrate(connection, self._path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self, *, for_reading: bool = False) -> sqlite3.Connection:
        return connect(
            self._path,
            synchronous=self._synchronous,
            busy_seconds=self._busy_seconds,
            for_reading=for_reading,
        )
