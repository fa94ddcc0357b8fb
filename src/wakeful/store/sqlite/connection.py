"""Connections to the file, and SQLite's errors as ours, each with a sentence for the operator."""

import sqlite3
from pathlib import Path

import orjson

from wakeful.errors import StoreError, StoreFull, StoreLocked, StoreReadOnly

# RETURNING came with this one.
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
    connection.create_function("contains", 2, _contains, deterministic=True)
    connection.create_function("text_of", 1, _text_of, deterministic=True)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")
        if for_reading:
            connection.execute("PRAGMA query_only = ON")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def translated(error: sqlite3.Error, path: Path) -> StoreError:
    ours = _sentence_for(error, path)
    ours.__cause__ = error
    return ours


def is_taken(error: sqlite3.IntegrityError) -> bool:
    """Whether a row with the same id or name was there first."""
    return error.sqlite_errorname in ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE")


def _contains(text: str | None, words: str) -> bool:
    """Whatever their case, in every script: SQLite's own LIKE knows that of ASCII only."""
    return text is not None and words.casefold() in text.casefold()


def _text_of(payload: bytes) -> str | None:
    """The words of a journal entry."""
    text: str | None = orjson.loads(payload).get("text")
    return text


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
        return StoreReadOnly(f"{path} cannot be opened: check that its folder is there and can be written.")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return StoreError(f"{path} is not a usable SQLite database ({error}): move it away or restore a backup.")
    return StoreError(f"{path}: {error} ({name or type(error).__name__}).")
