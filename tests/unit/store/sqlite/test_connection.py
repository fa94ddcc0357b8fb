"""Connections to a SQLite file: how they are set up, and what their errors are called."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wakeful.errors import StoreError, StoreFull, StoreLocked, StoreReadOnly
from wakeful.store.sqlite import connection as connections
from wakeful.store.sqlite.connection import connect, is_taken, translated

PATH = Path("/srv/wakeful.db")
SYNCHRONOUS = {"OFF": 0, "NORMAL": 1, "FULL": 2}


def value_of(connection: sqlite3.Connection, pragma: str) -> object:
    return connection.execute(f"PRAGMA {pragma}").fetchone()[0]


@pytest.mark.parametrize("for_reading", [False, True])
@pytest.mark.parametrize("synchronous", SYNCHRONOUS)
def test_a_connection_is_set_up(tmp_path: Path, synchronous: str, for_reading: bool) -> None:
    path = tmp_path / "new.db"
    with closing(connect(path, synchronous=synchronous, busy_seconds=1.5, for_reading=for_reading)) as connection:
        assert value_of(connection, "auto_vacuum") == 2
        assert value_of(connection, "journal_mode") == "wal"
        assert value_of(connection, "synchronous") == SYNCHRONOUS[synchronous]
        assert value_of(connection, "foreign_keys") == 1
        assert value_of(connection, "query_only") == int(for_reading)
        assert value_of(connection, "busy_timeout") == 1500
        assert connection.execute("SELECT 5 AS number").fetchone()["number"] == 5


def test_a_connection_that_will_not_do_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []

    def refuse(connection: sqlite3.Connection) -> None:
        opened.append(connection)
        raise StoreError("no search")

    monkeypatch.setattr(connections, "_require_search", refuse)

    with pytest.raises(StoreError, match="no search"):
        connect(tmp_path / "new.db", synchronous="OFF", busy_seconds=1)

    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("SELECT 1")


def named(name: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("the words of SQLite")
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("SQLITE_BUSY", StoreLocked, "is locked by another program"),
        ("SQLITE_BUSY_SNAPSHOT", StoreLocked, "is locked by another program"),
        ("SQLITE_LOCKED_SHAREDCACHE", StoreLocked, "is locked by another program"),
        ("SQLITE_FULL", StoreFull, "is full"),
        ("SQLITE_IOERR_WRITE", StoreFull, "is full"),
        ("SQLITE_IOERR_SHMSIZE", StoreFull, "is full"),
        ("SQLITE_READONLY_DIRECTORY", StoreReadOnly, "cannot be written"),
        ("SQLITE_CANTOPEN_ISDIR", StoreReadOnly, "cannot be opened"),
        ("SQLITE_NOTADB", StoreError, r"not a usable SQLite database \(the words of SQLite\)"),
        ("SQLITE_CORRUPT_INDEX", StoreError, "not a usable SQLite database"),
        ("SQLITE_IOERR_READ", StoreError, r"wakeful.db: the words of SQLite \(SQLITE_IOERR_READ\)\."),
        ("SQLITE_ERROR", StoreError, r"wakeful.db: the words of SQLite \(SQLITE_ERROR\)\."),
        ("", StoreError, r"wakeful.db: the words of SQLite \(OperationalError\)\."),
    ],
)
def test_errors_of_sqlite_become_ours(name: str, kind: type[StoreError], words: str) -> None:
    error = named(name)

    ours = translated(error, PATH)

    assert type(ours) is kind
    assert ours.__cause__ is error
    with pytest.raises(kind, match=words):
        raise ours


def test_an_error_of_the_driver_is_called_by_its_type() -> None:
    assert str(translated(sqlite3.ProgrammingError("odd"), PATH)) == "/srv/wakeful.db: odd (ProgrammingError)."


@pytest.mark.parametrize(
    ("statement", "is_one"),
    [
        ("INSERT INTO t VALUES (1, 2)", True),
        ("INSERT INTO t VALUES (2, 1)", True),
        ("INSERT INTO t (a) VALUES (3)", False),
    ],
)
def test_a_row_is_taken_if_another_has_its_id_or_name(statement: str, is_one: bool) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER NOT NULL UNIQUE)")
        connection.execute("INSERT INTO t VALUES (1, 1)")

        with pytest.raises(sqlite3.IntegrityError) as caught:
            connection.execute(statement)

    assert is_taken(caught.value) is is_one
