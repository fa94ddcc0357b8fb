"""What can be wrong with the file: held, locked, foreign, unwritable, or on a full disk."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.store.conftest import FakeClock
from tests.store.nouns import an_opening, append, have_session, have_turn, some_events
from wakeful.errors import StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreTooNew
from wakeful.model.event import NewEvent
from wakeful.model.opening import Opened, Opening
from wakeful.store.base import Transaction
from wakeful.store.sqlite import connection as connections
from wakeful.store.sqlite import space, writer
from wakeful.store.sqlite import store as stores
from wakeful.store.sqlite.migrate import migrate
from wakeful.store.sqlite.store import SqliteStore

_ROOT = Path(__file__).parents[2]
# Free pages that stay in the file for the next writes.
_KEPT_PAGES = 1_000


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
    assert _times_open(path.with_name("wakeful.db.lock")) == 1


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

    with pytest.raises(StoreError, match=r"wakeful\.db is not a usable SQLite database") as refused:
        await SqliteStore(path, FakeClock()).open()

    assert path.read_text().startswith("Dear diary")
    assert refused.value.__cause__ is not None
    await _can_be_opened_after_all(path)


async def test_a_file_of_a_newer_version_is_let_go_of(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 9999")

    with pytest.raises(StoreTooNew) as refused:
        await SqliteStore(path, FakeClock()).open()

    assert "schema 9999" in str(refused.value)
    await _can_be_opened_after_all(path)


async def test_an_opening_that_is_given_up_holds_the_file_until_its_migration_has_ended(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_migrating, may_end = threading.Event(), threading.Event()

    def migrate_slowly(connection: sqlite3.Connection, of: Path) -> None:
        is_migrating.set()
        may_end.wait(PATIENCE)
        migrate(connection, of)

    monkeypatch.setattr(stores, "migrate", migrate_slowly)
    opening = asyncio.create_task(SqliteStore(path, FakeClock()).open())
    await asyncio.to_thread(is_migrating.wait, PATIENCE)
    opening.cancel()
    await asyncio.sleep(0)
    with pytest.raises(StoreLocked):
        await SqliteStore(path, FakeClock()).open()

    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await opening

    again = SqliteStore(path, FakeClock())
    await again.open()
    await again.close()


async def test_a_full_disk_fails_all_writes_that_sqlite_has_rolled_back_and_none_after_them(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "connect", _with_room_for(400))
    store = SqliteStore(path, FakeClock())
    await store.open()
    await have_session(store)
    too_much = NewEvent("token", b"x" * 4_000_000)

    def record(event: NewEvent) -> Coroutine[Any, Any, object]:
        return store.write(lambda tx: tx.events.append("s1", None, [event]), lock=["s1"])

    results = await _as_one_group(store, record(NewEvent("token", b"lost")), record(too_much))
    more = await _as_one_group(
        store, store.open_new(an_opening("a", facts=(too_much,))), record(NewEvent("token", b"small"))
    )

    assert [type(result) for result in (*results, *more)] == [StoreFull, StoreFull, StoreFull, list]
    log = await store.read(lambda tx: tx.events.of_session("s1", 0, 10))
    await store.close()
    assert [event.payload for event in log] == [b"small"]


async def test_openings_that_sqlite_has_rolled_back_together_are_written_one_by_one(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(connection: sqlite3.Connection, _: float, openings: list[Opening]) -> list[Opened]:
        if openings:
            connection.execute("ROLLBACK")
            raise sqlite3.OperationalError("disk I/O error")
        return []

    monkeypatch.setattr(writer, "open_all", break_off)

    results = await _as_one_group(store, store.open_new(an_opening("a")), store.open_new(an_opening("b")))

    assert [type(result) for result in results] == [Opened, Opened]


async def test_an_older_sqlite_is_refused_and_the_oldest_that_will_do_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 9))
    with pytest.raises(StoreError, match=r"needs 3\.35\.0 or newer"):
        await SqliteStore(path, FakeClock()).open()

    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 35, 0))
    await _can_be_opened_after_all(path)


async def test_an_sqlite_without_full_text_search_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Without(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            return super().execute(statement.replace("'fts5'", "'missing'"), *values)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Without))

    with pytest.raises(StoreError, match="without full-text search"):
        await SqliteStore(path, FakeClock()).open()


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
    full, free = path.stat().st_size, _pragma(path, "freelist_count")

    store = SqliteStore(path, lambda: 1.0, synchronous="OFF")
    await store.open()
    assert await store.write(lambda tx: tx.purges.give_space_back(500))
    assert _pragma(path, "freelist_count") == free - 500
    assert await store.write(lambda tx: tx.purges.give_space_back(free))
    assert not await store.write(lambda tx: tx.purges.give_space_back(500))
    await store.close()

    assert path.stat().st_size < full / 2
    assert _pragma(path, "freelist_count") == _KEPT_PAGES


@pytest.mark.parametrize(("room", "mode"), [(0, 2), (-1, 0)])
async def test_a_file_of_an_older_version_is_rebuilt_to_give_space_back_if_it_is_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, mode: int
) -> None:
    path = await _an_older_file(tmp_path)
    monkeypatch.setattr(space, "_QUICKLY_REBUILT", path.stat().st_size + room)

    await _open_and_close(path)

    assert _pragma(path, "auto_vacuum") == mode


async def test_a_file_that_cannot_be_rebuilt_is_opened_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = await _an_older_file(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        await _open_and_close(path)

    assert "could not be rebuilt" in caplog.text
    assert _pragma(path, "auto_vacuum") == 0


async def _an_older_file(folder: Path) -> Path:
    path = folder / "wakeful.db"
    await _open_and_close(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode = WAL")
    return path


async def _open_and_close(path: Path) -> None:
    store = SqliteStore(path, lambda: 1.0, synchronous="OFF", busy_seconds=0.05)
    await store.open()
    await store.close()


async def _fill_and_empty(path: Path) -> None:
    await _open_and_close(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE filling (bytes BLOB)")
        connection.execute("INSERT INTO filling VALUES (zeroblob(10000000))")
        connection.execute("DROP TABLE filling")


def _pragma(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
        return value


async def _can_be_opened_after_all(path: Path) -> None:
    """Whoever refused the file has let go of it, and of its lock."""
    assert _times_open(path) == 0
    path.unlink(missing_ok=True)
    await _open_and_close(path)


def _times_open(path: Path) -> int:
    """How often this process has the file open."""
    return sum(os.path.realpath(file) == str(path) for file in Path("/proc/self/fd").iterdir())


async def _as_one_group(store: SqliteStore, *writes: Coroutine[Any, Any, object]) -> list[object]:
    """What came of writes that were queued while the writer was busy."""
    is_busy, may_end = threading.Event(), threading.Event()

    async def body(_: Transaction) -> None:
        is_busy.set()
        may_end.wait(PATIENCE)

    before = asyncio.ensure_future(store.write(body))
    await asyncio.to_thread(is_busy.wait, PATIENCE)
    queued = [asyncio.ensure_future(write) for write in writes]
    await asyncio.sleep(0)
    may_end.set()
    await before
    return await asyncio.gather(*queued, return_exceptions=True)


def _with_room_for(pages: int) -> Callable[..., sqlite3.Connection]:
    def connect(*values: Any, **options: Any) -> sqlite3.Connection:
        connection = connections.connect(*values, **options)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    return connect
