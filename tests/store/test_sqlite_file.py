"""What can be wrong with the file: held, locked, foreign, unwritable, or on a full disk."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.store.conftest import FakeClock
from tests.store.nouns import append, have_session, have_turn, some_events
from wakeful.errors import StoreError, StoreLocked, StoreReadOnly
from wakeful.store.base import Transaction
from wakeful.store.sqlite.store import SqliteStore

_ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "wakeful.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, FakeClock(), busy_seconds=0.05)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def public_path() -> Iterator[Path]:
    """In a folder that all users may read; those that pytest makes are closed to other users."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder) / "wakeful.db"


async def test_the_file_and_its_folder_are_for_their_owner_alone(path: Path, store: SqliteStore) -> None:
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


async def test_a_second_process_is_refused_with_the_id_of_the_first(path: Path, store: SqliteStore) -> None:
    with pytest.raises(StoreLocked, match=rf"wakeful\.db is in use .* \(process {os.getpid()}\)"):
        await SqliteStore(path, FakeClock()).open()

    await have_session(store)


async def test_the_file_is_free_after_its_holder_has_closed_it(path: Path, store: SqliteStore) -> None:
    await store.close()

    second = SqliteStore(path, FakeClock())
    await second.open()
    await second.close()


async def test_the_file_is_free_at_once_when_its_holder_is_killed(path: Path) -> None:
    with _child("hold", path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        store = SqliteStore(path, FakeClock())
        with pytest.raises(StoreLocked, match=f"process {holder.pid}"):
            await store.open()

        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=10)

    await store.open()
    log = await store.read(lambda tx: tx.events.of_session("s1", 0, 10))
    await store.close()
    assert [event.payload for event in log] == [b"recorded"]


async def test_a_database_locked_by_another_program_is_named(path: Path, store: SqliteStore) -> None:
    lease = await have_turn(store)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreLocked, match=r"wakeful\.db is locked by another program"):
        await append(store, lease, some_events(1))
    other.execute("ROLLBACK")
    other.close()

    assert [event.session_seq for event in await append(store, lease, some_events(1))] == [1]


async def test_a_fault_of_a_statement_is_not_called_a_broken_file(path: Path, store: SqliteStore) -> None:
    lease = await have_turn(store)
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TABLE events")

    with pytest.raises(StoreError, match=r"wakeful\.db: no such table: events \(SQLITE_ERROR\)\.$"):
        await append(store, lease, some_events(1))


async def test_closing_waits_for_a_write_that_is_under_way(store: SqliteStore) -> None:
    lease = await have_turn(store)
    is_running, may_end = threading.Event(), threading.Event()

    async def body(tx: Transaction) -> None:
        is_running.set()
        may_end.wait(PATIENCE)
        await tx.events.append("s1", lease.turn_id, some_events(1))

    writing = asyncio.ensure_future(store.write(body, lock=["s1"]))
    await asyncio.to_thread(is_running.wait, PATIENCE)
    closing_store = asyncio.ensure_future(store.close())
    # It closes as much as it can without the write.
    await asyncio.sleep(0)
    may_end.set()

    await asyncio.gather(writing, closing_store)


async def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("Dear diary, " * 100)

    with pytest.raises(StoreError, match=r"wakeful\.db is not a usable SQLite database"):
        await SqliteStore(path, FakeClock()).open()

    assert path.read_text().startswith("Dear diary")


async def test_a_folder_instead_of_the_file_is_refused(path: Path) -> None:
    path.mkdir(parents=True)

    with pytest.raises(StoreReadOnly, match=r"wakeful\.db cannot be opened"):
        await SqliteStore(path, FakeClock()).open()


async def test_a_file_instead_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")

    with pytest.raises(StoreReadOnly, match="cannot be written"):
        await SqliteStore(tmp_path / "home" / "wakeful.db", FakeClock()).open()


async def test_a_database_that_may_not_be_written_is_refused(public_path: Path) -> None:
    store = SqliteStore(public_path, FakeClock())
    await store.open()
    await store.close()
    public_path.chmod(0o444)
    if os.geteuid() != 0:
        public_path.parent.chmod(0o555)

    with _child("open_as_nobody", public_path) as child:
        said, _ = child.communicate(timeout=30)

    public_path.parent.chmod(0o755)
    assert said.startswith("StoreReadOnly: ")
    assert "wakeful.db cannot be written: Permission denied" in said


async def test_a_full_disk_is_named_and_loses_nothing_that_was_recorded(path: Path) -> None:
    with _child("fill", path) as child:
        said, _ = child.communicate(timeout=60)
    sentence, recorded = said.splitlines()

    store = SqliteStore(path, FakeClock())
    await store.open()
    log = await store.read(lambda tx: tx.events.of_session("s1", 0, 10_000))
    await store.close()
    assert sentence.startswith("StoreFull: The disk that holds")
    assert [event.session_seq for event in log] == list(range(1, int(recorded) + 1))
    assert int(recorded) > 5


def _child(action: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.sqlite_child", action, path],
        stdout=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
    )


async def test_what_was_removed_is_given_back_to_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "wakeful.db"
    await _fill_and_empty(path)
    full = path.stat().st_size

    store = SqliteStore(path, lambda: 1.0, synchronous="OFF")
    await store.open()
    while await store.write(lambda tx: tx.purges.give_space_back(500)):
        pass
    await store.close()

    assert path.stat().st_size < full / 2


async def test_a_small_file_of_an_older_version_is_rebuilt_to_give_space_back(tmp_path: Path) -> None:
    path = tmp_path / "wakeful.db"
    await _fill_and_empty(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute("VACUUM")

    await _fill_and_empty(path)

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)


async def _fill_and_empty(path: Path) -> None:
    store = SqliteStore(path, lambda: 1.0, synchronous="OFF")
    await store.open()
    await store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE filling (bytes BLOB)")
        connection.execute("INSERT INTO filling VALUES (zeroblob(10000000))")
        connection.execute("DROP TABLE filling")
