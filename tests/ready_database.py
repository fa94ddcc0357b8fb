"""Databases that have their tables already, since creating the tables takes longer than most tests."""

import functools
import tempfile
from pathlib import Path

import asyncpg

from tests.postgres_server import PostgresServer, execute, run_apart
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


class ReadyDatabase:
    """A PostgreSQL database that tests use one after another: emptying tables is ten times as fast as creating them."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        # A test may have stopped it.
        server.start()
        self._url = server.create_database()
        self._make_as_new = run_apart(_make_tables(self._url))

    def emptied(self) -> str:
        """Return the URL of the emptied database, after cutting off the connections of the previous test."""
        self._server.start()
        run_apart(execute(self._url, _CUT_OFF_OTHERS, self._make_as_new))
        return self._url


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
