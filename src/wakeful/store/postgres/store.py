"""The PostgreSQL store: a database server that several nodes can share."""

import time
from collections.abc import Collection
from typing import TypeVar

from wakeful.errors import StoreUnavailable
from wakeful.model.ids import new_id
from wakeful.model.opening import Opened, Opening
from wakeful.model.store_stats import StoreStats
from wakeful.store.base import Body
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection, ServerAddress, connect
from wakeful.store.postgres.migrate import migrate
from wakeful.store.postgres.notifier import PostgresNotifier
from wakeful.store.postgres.opener import Opener
from wakeful.store.postgres.pool import PostgresPool
from wakeful.store.postgres.tables.sessions.sessions import locking
from wakeful.store.postgres.transaction import READ, WRITE, PostgresTransaction, commit
from wakeful.store.postgres.words import PostgresWords
from wakeful.under_way import UnderWay

T = TypeVar("T")

# Writes that wait for locks, long reads and leases have pools of their own, so that none takes another's connections.
_WRITING = 8
_READING = 6
_SEARCHING = 2
# A search that takes longer has too many words to look at; other reads are never that slow.
SEARCH_SETTINGS = {"statement_timeout": "10s"}
# Leases last a few seconds: one that a crash of the server loses is renewed before it is missed. A renewal that takes
# longer than this hangs in a dead network.
_UNSYNCED = {"synchronous_commit": "off"}
_LEASE_SETTINGS = _UNSYNCED | {"lock_timeout": "1s"}
_LEASE_SECONDS = 5.0


class PostgresStore:
    is_exclusive = False

    def __init__(self, url: str) -> None:
        self._address = address = ServerAddress(url, f"wakeful {new_id('store')}")
        self._writing = PostgresPool(address, _WRITING)
        self._reading = PostgresPool(address, _READING)
        self._searching = PostgresPool(address, _SEARCHING, SEARCH_SETTINGS)
        self._speaking = PostgresPool(address, 1, _UNSYNCED)
        self._leasing = PostgresPool(address, 1, _LEASE_SETTINGS, statement_seconds=_LEASE_SECONDS)
        # Lets transactions finish when their callers are cancelled: the outcome of an interrupted COMMIT is unknown,
        # and a connection that is left in mid-statement cannot be reused for a while.
        self._under_way = UnderWay()
        # A pool for new sessions, so that they do not wait for a connection behind other writes.
        self._opening = PostgresPool(address, 1)
        self._opener: Opener | None = None
        self._is_closed = False
        self.notifier = PostgresNotifier(address)
        self.stats = StoreStats()
        self.words = PostgresWords(self._speaking, self._reading, self.notifier, self._under_way)

    async def open(self) -> None:
        try:
            channel = await self._prepare_schema()
            for pool in self._pools:
                await pool.open()
            await self.notifier.open(channel)
        except BaseException:
            await self._disconnect()
            raise
        self._opener = Opener(self._opening, self.notifier)

    async def close(self) -> None:
        self._is_closed = True
        if self._opener is not None:
            await self._opener.close()
        await self._under_way.ended()
        await self._disconnect()

    async def write(self, body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        self._require_open()
        begin = WRITE if patience is None else f"{WRITE}; SET LOCAL lock_timeout = {round(patience * 1000)}"
        with self.stats.writing():
            return await self._under_way.to_its_end(self._write(self._writing, body, lock, begin))

    async def write_lease(self, body: Body[T]) -> T:
        self._require_open()
        return await self._under_way.to_its_end(self._write(self._leasing, body, (), WRITE))

    async def read(self, body: Body[T]) -> T:
        self._require_open()
        return await self._under_way.to_its_end(self._read(self._reading, body))

    async def search(self, body: Body[T]) -> T:
        self._require_open()
        return await self._under_way.to_its_end(self._read(self._searching, body))

    async def open_new(self, opening: Opening) -> Opened:
        return await self._require_open().submit(opening)

    async def _write(self, pool: PostgresPool, body: Body[T], lock: Collection[str], begin: str) -> T:
        footprint = Footprint(lock)
        async with pool.transaction(begin + locking(lock)) as connection:
            result = await body(PostgresTransaction(connection, footprint))
            began = time.perf_counter()
            await commit(connection, self.notifier, footprint.signal)
            self.stats.note_commit(1, time.perf_counter() - began)
        return result

    async def _read(self, pool: PostgresPool, body: Body[T]) -> T:
        async with pool.transaction(READ) as connection:
            result = await body(PostgresTransaction(connection, Footprint(None)))
        self.stats.note_success()
        return result

    def _require_open(self) -> Opener:
        if self._is_closed:
            raise StoreUnavailable("The database is closed: the server is stopping.")
        if self._opener is None:
            raise RuntimeError("the store is not open")
        return self._opener

    async def _prepare_schema(self) -> str:
        """Migrate, and return the schema's own channel: notifications reach the whole database otherwise."""
        driver = await connect(self._address)
        try:
            await migrate(driver, self._address.where)
            schema = await PostgresConnection(driver, self._address.where).fetchval(
                "SELECT oid FROM pg_namespace WHERE nspname = current_schema()"
            )
        finally:
            driver.terminate()
        return f"wakeful_{schema}"

    async def _disconnect(self) -> None:
        await self.notifier.close()
        for pool in self._pools:
            await pool.close()

    @property
    def _pools(self) -> tuple[PostgresPool, ...]:
        return self._writing, self._opening, self._reading, self._searching, self._speaking, self._leasing
