"""Databases that have their tables already, since creating the tables takes longer than most tests."""

import asyncio
import functools
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import asyncpg

from tests.postgres_server import PostgresServer, run_apart
from wakeful.store.base import Store
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

# A process that the previous test killed may still have a statement under way.
_CUT_OFF_OTHERS = """
DO $$ BEGIN
    WHILE 0 < (
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    ) LOOP
        PERFORM pg_sleep(0.001);
        -- Otherwise the same snapshot is read until the end of the transaction.
        PERFORM pg_stat_clear_snapshot();
    END LOOP;
END $$
"""
# Generates the statements that make the database as new, with its clock, which tests move. Rows can be deleted in any
# order, because foreign keys are not checked while triggers are off.
_MAKE_AS_NEW = """
    SELECT 'SET session_replication_role = replica'
    UNION ALL
    SELECT format('DELETE FROM %I', tablename) FROM pg_tables
    WHERE schemaname = current_schema() AND tablename <> 'wakeful_schema'
    UNION ALL
    SELECT format('SELECT setval(%L, %s, false)', sequencename, start_value) FROM pg_sequences
    UNION ALL
    SELECT pg_get_functiondef('wakeful_now'::regproc)
"""

_STOP_TIME = """
CREATE OR REPLACE FUNCTION wakeful_now() RETURNS DOUBLE PRECISION LANGUAGE sql AS 'SELECT {}::double precision'
"""
# What the driver raises when the server was stopped or killed since the last statement.
_LOST = (asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.AdminShutdownError, OSError)


class ReadyDatabase:
    """A PostgreSQL database that tests use one after another: emptying tables is ten times as fast as creating them."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        # A test may have stopped it.
        server.start()
        self._url = server.create_database()
        self._make_as_new = run_apart(_make_tables(self._url))
        self._line = _Line(self._url)

    def emptied(self) -> str:
        """Return the URL of the emptied database, after cutting off the connections of the previous test."""
        self._server.start()
        self._line.execute(_CUT_OFF_OTHERS, self._make_as_new).result()
        return self._url

    async def set_time(self, now: float) -> None:
        """Stop the store's clock at that time, until the database is emptied."""
        await asyncio.wrap_future(self._line.execute(_STOP_TIME.format(now)))

    def close(self) -> None:
        self._line.close()


class _Line:
    """A connection that is kept from test to test, since opening one takes as long as emptying the tables. It lives in
    a thread, because each test has its own event loop.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._thread = ThreadPoolExecutor(1)
        self._runner = asyncio.Runner()
        self._connection: asyncpg.Connection | None = None

    def execute(self, *statements: str) -> Future[None]:
        """Statements that may be executed twice: a connection that turns out to be lost is replaced."""
        return self._thread.submit(self._runner.run, self._execute(statements))

    def close(self) -> None:
        self._thread.submit(self._runner.run, self._hang_up()).result()
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    async def _execute(self, statements: tuple[str, ...]) -> None:
        try:
            await self._send(statements)
        except _LOST:
            await self._hang_up()
            await self._send(statements)

    async def _send(self, statements: tuple[str, ...]) -> None:
        if self._connection is None:
            self._connection = await asyncpg.connect(self._url)
        for statement in statements:
            await self._connection.execute(statement)

    async def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
        self._connection = None


async def _make_tables(url: str) -> str:
    """Create the tables, and return the statements that empty them again."""
    await _open_and_close(PostgresStore(url))
    connection = await asyncpg.connect(url)
    try:
        return ";\n".join(statement for (statement,) in await connection.fetch(_MAKE_AS_NEW))
    finally:
        await connection.close()


def put_sqlite_file(path: Path) -> None:
    """Write a database file with all tables and no rows."""
    path.write_bytes(_sqlite_file())


@functools.cache
def _sqlite_file() -> bytes:
    with tempfile.TemporaryDirectory(prefix="wakeful-") as folder:
        path = Path(folder, "wakeful.db")
        run_apart(_open_and_close(SqliteStore(path, lambda: 0.0, synchronous="OFF")))
        return path.read_bytes()


async def _open_and_close(store: Store) -> None:
    await store.open()
    await store.close()
