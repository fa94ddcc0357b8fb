"""A SQLite store as a whole: what it leaves behind, and what a close waits for."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.nouns import have_session
from wakeful.errors import StoreReadOnly, StoreTooNew, StoreUnavailable
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


async def test_a_file_that_is_refused_is_not_held(store: SqliteStore, sqlite_path: Path) -> None:
    with closing(sqlite3.connect(sqlite_path)) as connection:
        connection.execute("PRAGMA user_version = 9999")

    with pytest.raises(StoreTooNew):
        await store.open()

    assert open_files(sqlite_path.parent) == []


async def test_a_lock_file_that_cannot_be_made_is_named(store: SqliteStore, sqlite_path: Path) -> None:
    sqlite_path.with_name("wakeful.db.lock").symlink_to("/missing/folder/file")

    with pytest.raises(StoreReadOnly, match="cannot be written"):
        await store.open()


async def test_a_search_refuses_to_write_as_a_read_does(store: SqliteStore) -> None:
    await store.open()
    for ask in (store.read, store.search):
        with pytest.raises(StoreReadOnly):
            await ask(lambda tx: tx.nodes.retire("node1"))
        with pytest.raises(StoreReadOnly):
            await ask(lambda tx: tx.nodes.renew("node1", 1.0, host="host1"))
    await store.close()


async def test_one_process_holds_the_file_and_shares_no_words(store: SqliteStore) -> None:
    assert store.is_exclusive
    assert store.words is None
