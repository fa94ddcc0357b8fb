"""Free pages of a SQLite file: given back in steps, but for those that the next writes need."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wakeful.store.sqlite import space

INCREMENTAL, NONE = 2, 0
FREE = 20


@pytest.fixture
def connection(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    """A file with free pages, which are given back only if it was made so."""
    mode = getattr(request, "param", INCREMENTAL)
    with closing(sqlite3.connect(tmp_path / "some.db", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA auto_vacuum = {mode}")
        connection.execute("CREATE TABLE t (data BLOB)")
        connection.executemany("INSERT INTO t VALUES (zeroblob(4000))", [()] * 40)
        while free(connection) < FREE:
            connection.execute("DELETE FROM t WHERE rowid = (SELECT max(rowid) FROM t)")
        yield connection


def free(connection: sqlite3.Connection) -> int:
    count: int = connection.execute("PRAGMA freelist_count").fetchone()[0]
    return count


@pytest.mark.parametrize(
    ("kept", "pages", "left"),
    [(0, 3, FREE - 3), (0, 99, 0), (FREE - 1, 3, FREE - 1), (FREE - 2, 1, FREE - 1), (FREE, 3, None), (99, 3, None)],
)
def test_as_many_pages_are_given_back_as_asked_for_but_those_that_are_kept(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, kept: int, pages: int, left: int | None
) -> None:
    monkeypatch.setattr(space, "_KEPT_PAGES", kept)

    # A true answer without a page given back would be asked for again for ever.
    assert space.give_back(connection, pages) is (left is not None)
    assert free(connection) == (FREE if left is None else left)


@pytest.mark.parametrize("connection", [NONE], indirect=True)
def test_a_file_that_was_not_made_so_keeps_its_pages(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "_KEPT_PAGES", 0)

    assert not space.give_back(connection, 3)
    assert free(connection) == FREE


@pytest.mark.parametrize(
    ("connection", "largest", "is_rebuilt"),
    [(INCREMENTAL, 1 << 30, False), (NONE, 1 << 30, True), (NONE, 1, False)],
    indirect=["connection"],
)
def test_a_small_file_that_was_not_made_so_is_rebuilt(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, largest: int, is_rebuilt: bool
) -> None:
    monkeypatch.setattr(space, "_QUICKLY_REBUILT", largest)
    mode = connection.execute("PRAGMA auto_vacuum").fetchone()[0]

    space.prepare(connection)

    assert (free(connection) == 0) is is_rebuilt
    assert connection.execute("PRAGMA auto_vacuum").fetchone()[0] == (INCREMENTAL if is_rebuilt else mode)
