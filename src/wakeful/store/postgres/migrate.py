"""Brings the schema up to date. Each migration is one transaction with its version number."""

from pathlib import Path

import asyncpg

from wakeful.store.migrations import (
    FORGETS_ALLOWANCES,
    FORGOTTEN_ALLOWANCES,
    Migration,
    migrations_in,
    refuse_newer,
    warn_of_forgotten,
)
from wakeful.store.postgres.connection import PostgresConnection

_FOLDER = Path(__file__).parent / "migrations"
# An arbitrary number that all versions share, so that nodes that start together migrate one after the other.
_LOCK = 7_239_254_011


async def migrate(driver: asyncpg.Connection, where: str) -> None:
    """Migrate, on a connection that the caller then closes: the lock is held until then."""
    connection = PostgresConnection(driver, where)
    await connection.execute(f"SELECT pg_advisory_lock({_LOCK})")
    await connection.execute("CREATE TABLE IF NOT EXISTS wakeful_schema (version INTEGER PRIMARY KEY)")
    found = await connection.fetchval("SELECT coalesce(max(version), 0) FROM wakeful_schema")
    migrations = migrations_in(_FOLDER)
    refuse_newer(found, migrations[-1].version, where)
    for migration in migrations:
        if migration.version > found:
            await _apply(connection, migration)


async def _apply(connection: PostgresConnection, migration: Migration) -> None:
    await connection.execute("BEGIN")
    if migration.version == FORGETS_ALLOWANCES:
        warn_of_forgotten(await connection.fetchval(FORGOTTEN_ALLOWANCES))
    await connection.execute(migration.sql)
    await connection.execute("INSERT INTO wakeful_schema (version) VALUES ($1)", migration.version)
    await connection.execute("COMMIT")
