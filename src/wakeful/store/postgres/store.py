"""The PostgreSQL store: a server, and as many nodes as want to share it."""

import asyncio
from collections.abc import Collection, Coroutine
from typing import Any, TypeVar

from wakeful.errors import StoreUnavailable
from wakeful.store.base import Body
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import Connection, connect, describe
from wakeful.store.postgres.migrate import migrate
from wakeful.store.postgres.notifier import PostgresNotifier
from wakeful.store.postgres.pool import Pool
from wakeful.store.postgres.sessions import lock_sessions
from wakeful.store.postgres.transaction import READ, WRITE, PostgresTransaction, commit

T = TypeVar("T")

_CONNECTIONS = 10


class PostgresStore:
    is_exclusive = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._where = describe(url)
        self._pool = Pool(url, self._where, _CONNECTIONS)
        self._under_way: set[asyncio.Task[Any]] = set()
        self._is_open = False
        self._is_closed = False
        self.notifier = PostgresNotifier(url, self._where)

    async def open(self) -> None:
        try:
            channel = await self._prepare_schema()
            await self._pool.open()
            await self.notifier.open(channel)
        except BaseException:
            await self._disconnect()
            raise
        self._is_open = True

    async def close(self) -> None:
        self._is_closed = True
        while self._under_way:
            await asyncio.wait(self._under_way)
        await self._disconnect()

    async def write(self, body: Body[T], *, lock: Collection[str] = ()) -> T:
        self._require_open()
        return await self._to_its_end(self._write(body, lock))

    async def read(self, body: Body[T]) -> T:
        self._require_open()
        return await self._to_its_end(self._read(body))

    async def _write(self, body: Body[T], lock: Collection[str]) -> T:
        footprint = Footprint(lock)
        async with self._pool.transaction(WRITE) as connection:
            await lock_sessions(connection, lock)
            result = await body(PostgresTransaction(connection, footprint))
            await commit(connection, self.notifier, footprint.signal)
        return result

    async def _read(self, body: Body[T]) -> T:
        async with self._pool.transaction(READ) as connection:
            return await body(PostgresTransaction(connection, Footprint(None)))

    async def _to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        """What has begun goes on when its caller goes away: after half a COMMIT nobody would know what holds."""
        job = asyncio.create_task(work)
        self._under_way.add(job)
        job.add_done_callback(self._forget)
        return await asyncio.shield(job)

    def _forget(self, job: asyncio.Task[Any]) -> None:
        self._under_way.discard(job)
        # Whoever asked may have gone away: then nobody else asks how it went.
        if not job.cancelled():
            job.exception()

    def _require_open(self) -> None:
        if self._is_closed:
            raise StoreUnavailable("The database is closed: the server is stopping.")
        if not self._is_open:
            raise RuntimeError("the store is not open")

    async def _prepare_schema(self) -> str:
        """Returns the channel of the schema: notifications would otherwise go through the whole database."""
        driver = await connect(self._url, self._where)
        try:
            await migrate(driver, self._where)
            schema = await Connection(driver, self._where).fetchval(
                "SELECT oid FROM pg_namespace WHERE nspname = current_schema()"
            )
        finally:
            driver.terminate()
        return f"wakeful_{schema}"

    async def _disconnect(self) -> None:
        await self.notifier.close()
        await self._pool.close()
