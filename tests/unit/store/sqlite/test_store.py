"""A SQLite store as a whole: what it leaves behind, and what a close waits for."""

import os
from pathlib import Path

import pytest

from tests.store.nouns import have_session
from wakeful.errors import StoreUnavailable
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
def store(sqlite_path: Path) -> SqliteStore:
    return SqliteStore(sqlite_path, lambda: 1_000.0, synchronous="OFF")


def open_files(folder: Path) -> list[str]:
    """The files of the folder that this process has open."""
    found = [Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd")]
    files = [link.resolve() for link in found if link.exists()]
    return sorted({file.name for file in files if file.parent == folder})


async def test_a_closed_store_has_no_file_open(store: SqliteStore, sqlite_path: Path) -> None:
    await store.open()
    await have_session(store)
    await store.search(lambda tx: tx.sessions.get("s1"))
    assert "wakeful.db" in open_files(sqlite_path.parent)

    await store.close()

    assert open_files(sqlite_path.parent) == []


async def test_a_search_of_a_store_that_is_not_open_says_so(store: SqliteStore) -> None:
    with pytest.raises(RuntimeError, match="not open"):
        await store.search(lambda tx: tx.sessions.get("s1"))
    await store.open()
    await store.close()
    with pytest.raises(StoreUnavailable, match="is closed"):
        await store.search(lambda tx: tx.sessions.get("s1"))


async def test_a_file_is_synced_with_every_commit_unless_told_otherwise(sqlite_path: Path) -> None:
    store = SqliteStore(sqlite_path, lambda: 1_000.0)
    await store.open()
    assert store._writer is not None
    mode = store._writer._connection.execute("PRAGMA synchronous").fetchone()[0]
    await store.close()
    assert mode == 2


async def test_a_file_that_nobody_has_made_yet_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "wakeful.db"
    store = SqliteStore(path, lambda: 1_000.0, synchronous="OFF")

    await store.open()
    await have_session(store)
    await store.close()

    assert path.exists()
