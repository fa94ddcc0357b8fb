"""The lock file beside a SQLite file."""

import os
from pathlib import Path

import pytest

from wakeful.errors import StoreLocked
from wakeful.store.sqlite.lock import FileLock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "wakeful.db.lock"


def open_files(path: Path) -> int:
    """How many descriptors of this process are open on the file."""
    found = [Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd")]
    return sum(link.exists() and link.resolve() == path for link in found)


def test_it_names_its_holder_and_nothing_of_an_earlier_one(path: Path) -> None:
    path.write_text("12345678901234567890\n")
    lock = FileLock(path)

    lock.acquire()

    assert path.read_text() == f"{os.getpid()}\n"
    assert open_files(path) == 1
    lock.release()
    assert open_files(path) == 0


def test_a_second_one_is_refused_without_a_trace_until_the_first_is_released(path: Path) -> None:
    first, second = FileLock(path), FileLock(path)
    first.acquire()

    with pytest.raises(StoreLocked, match=rf"{path.with_suffix('')} is in use .* \(process {os.getpid()}\)"):
        second.acquire()
    assert open_files(path) == 1
    second.release()
    with pytest.raises(StoreLocked):
        second.acquire()

    first.release()
    second.acquire()
    second.release()


def test_it_is_released_once(path: Path) -> None:
    lock = FileLock(path)
    lock.acquire()
    lock.release()
    # The next file gets the same number, which is not the lock's to close.
    other = os.open(path, os.O_RDONLY)

    lock.release()

    os.close(other)


def test_a_holder_that_has_not_written_its_number_is_unknown(path: Path) -> None:
    first = FileLock(path)
    first.acquire()
    path.write_text("")

    with pytest.raises(StoreLocked, match=r"\(process unknown\)"):
        FileLock(path).acquire()
    first.release()
