"""Opens connections to the file, and translates SQLite's errors into ours, each with a sentence for the operator."""

import sqlite3
from pathlib import Path

from wakeful.errors import StoreError, StoreFull, StoreLocked, StoreReadOnly

# The first version with RETURNING.
_OLDEST = (3, 35, 0)


def connect(path: Path, *, synchronous: str, busy_seconds: float, for_reading: bool = False) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < _OLDEST:
        raise StoreError(
            f"This Python comes with SQLite {sqlite3.sqlite_version}, and Wakeful needs "
            f"{'.'.join(map(str, _OLDEST))} or newer: use a newer Python, or PostgreSQL (WAKEFUL_DATABASE_URL)."
        )
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection.row_factory = sqlite3.Row
    try:
        # This works only on a file without tables; see space.py for the others.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")
        if for_reading:
            connection.execute("PRAGMA query_only = ON")
        _require_search(connection)
    except (sqlite3.Error, StoreError):
        connection.close()
        raise
    return connection


def translated(error: sqlite3.Error, path: Path) -> StoreError:
    ours = _sentence_for(error, path)
    ours.__cause__ = error
    return ours


def is_taken(error: sqlite3.IntegrityError) -> bool:
    """Whether a row with the same id or name exists already."""
    return error.sqlite_errorname in ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE")


def _require_search(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone() is None:
        raise StoreError(
            "The SQLite of this Python was built without full-text search (FTS5), which Wakeful needs: use another "
            "Python, or PostgreSQL (WAKEFUL_DATABASE_URL)."
        )


def _sentence_for(error: sqlite3.Error, path: Path) -> StoreError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreLocked(f"{path} is locked by another program: close it there and try again.")
    if name in ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"):
        return StoreFull(
            f"The disk that holds {path} is full: free some room and start again, nothing recorded is lost."
        )
    if name.startswith("SQLITE_READONLY"):
        return StoreReadOnly(f"{path} cannot be written: check its owner and permissions, and those of its folder.")
    if name.startswith("SQLITE_CANTOPEN"):
        return StoreReadOnly(f"{path} cannot be opened: check that its folder exists and can be written.")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return StoreError(f"{path} is not a usable SQLite database ({error}): move it away or restore a backup.")
    return StoreError(f"{path}: {error} ({name or type(error).__name__}).")
