"""Brings the file's schema up to date. Each migration is one transaction with its version number."""

import sqlite3
from pathlib import Path

from wakeful.store.migrations import (
    FORGETS_ALLOWANCES,
    FORGOTTEN_ALLOWANCES,
    migrations_in,
    refuse_newer,
    warn_of_forgotten,
)

_FOLDER = Path(__file__).parent / "migrations"


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    migrations = migrations_in(_FOLDER)
    refuse_newer(found, migrations[-1].version, str(path))
    for migration in migrations:
        if migration.version > found:
            if migration.version == FORGETS_ALLOWANCES:
                warn_of_forgotten(connection.execute(FORGOTTEN_ALLOWANCES).fetchone()[0])
            connection.executescript(
                f"BEGIN IMMEDIATE;\n{migration.sql}\nPRAGMA user_version = {migration.version};\nCOMMIT;"
            )
