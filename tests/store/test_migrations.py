"""Schemas: both stores have the same one, and every older one becomes it."""

import sqlite3
from pathlib import Path

import asyncpg
import pytest

import wakeful.store
from tests.store.conftest import FakeClock
from tests.store.nouns import have_turn
from wakeful.errors import StoreTooNew
from wakeful.store.migrations import Migration, migrations_in
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

_FOLDER = Path(wakeful.store.__file__).parent
SQLITE = migrations_in(_FOLDER / "sqlite" / "migrations")
POSTGRES = migrations_in(_FOLDER / "postgres" / "migrations")

Columns = dict[str, list[str]]


def test_both_stores_have_migrations_of_the_same_numbers() -> None:
    assert [m.version for m in SQLITE] == [m.version for m in POSTGRES] == list(range(1, len(SQLITE) + 1))


async def test_both_stores_have_the_same_tables_and_columns(tmp_path: Path, postgres_url: str) -> None:
    await _open_sqlite(tmp_path / "wakeful.db")
    await _open_postgres(postgres_url)

    assert _sqlite_columns(tmp_path / "wakeful.db") == await _postgres_columns(postgres_url)


@pytest.mark.parametrize("version", range(len(SQLITE) + 1))
async def test_an_older_sqlite_schema_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    await _open_sqlite(tmp_path / "fresh.db")
    _apply_to_sqlite(tmp_path / "older.db", SQLITE[:version])

    await _open_sqlite(tmp_path / "older.db")

    assert _sqlite_schema(tmp_path / "older.db") == _sqlite_schema(tmp_path / "fresh.db")


@pytest.mark.parametrize("version", range(len(POSTGRES) + 1))
async def test_an_older_postgres_schema_is_brought_up_to_date(postgres_url: str, version: int) -> None:
    await _apply_to_postgres(postgres_url, POSTGRES[:version])

    await _open_postgres(postgres_url)

    connection = await asyncpg.connect(postgres_url)
    versions = await connection.fetch("SELECT version FROM wakeful_schema ORDER BY version")
    await connection.close()
    assert [row["version"] for row in versions] == [m.version for m in POSTGRES]


async def test_opening_again_keeps_what_is_there(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "wakeful.db", FakeClock())
    await store.open()
    await have_turn(store)
    await store.close()

    await _open_sqlite(tmp_path / "wakeful.db")


async def test_a_newer_sqlite_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "wakeful.db"
    await _open_sqlite(path)
    _execute(path, "PRAGMA user_version = 999")

    with pytest.raises(StoreTooNew, match=r"wakeful\.db was written by a newer Wakeful \(schema 999"):
        await _open_sqlite(path)

    # The lock was let go: the next try gets as far.
    with pytest.raises(StoreTooNew):
        await _open_sqlite(path)


async def test_a_newer_postgres_schema_is_refused_and_left_alone(postgres_url: str) -> None:
    await _open_postgres(postgres_url)
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("INSERT INTO wakeful_schema VALUES (999)")
    await connection.close()

    with pytest.raises(StoreTooNew, match=r'"postgres" at .* was written by a newer Wakeful \(schema 999'):
        await _open_postgres(postgres_url)


async def _open_sqlite(path: Path) -> None:
    store = SqliteStore(path, FakeClock())
    await store.open()
    await store.close()


async def _open_postgres(url: str) -> None:
    store = PostgresStore(url)
    await store.open()
    await store.close()


def _apply_to_sqlite(path: Path, migrations: list[Migration]) -> None:
    for migration in migrations:
        _execute(path, migration.sql)
        _execute(path, f"PRAGMA user_version = {migration.version}")


async def _apply_to_postgres(url: str, migrations: list[Migration]) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE wakeful_schema (version INTEGER PRIMARY KEY)")
    for migration in migrations:
        await connection.execute(migration.sql)
        await connection.execute("INSERT INTO wakeful_schema VALUES ($1)", migration.version)
    await connection.close()


def _execute(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


def _sqlite_schema(path: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
    connection.close()
    return rows


def _sqlite_columns(path: Path) -> Columns:
    connection = sqlite3.connect(path)
    rows = connection.execute(
        """SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
           WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid"""
    ).fetchall()
    connection.close()
    return _grouped(rows)


async def _postgres_columns(url: str) -> Columns:
    connection = await asyncpg.connect(url)
    rows = await connection.fetch(
        """SELECT table_name, column_name FROM information_schema.columns
           WHERE table_schema = current_schema() AND table_name <> 'wakeful_schema'
           ORDER BY table_name, ordinal_position"""
    )
    await connection.close()
    return _grouped([(row["table_name"], row["column_name"]) for row in rows])


def _grouped(rows: list[tuple[str, str]]) -> Columns:
    columns: Columns = {}
    for table, column in rows:
        columns.setdefault(table, []).append(column)
    return columns
