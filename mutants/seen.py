"""What each test saw of the source: the lines it ran, and how long it took. Kept in a file outside of git.

A source may have changed since: its text is kept too, and a line of today is looked up as the line that it was.
"""

import difflib
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TABLES = """
    CREATE TABLE IF NOT EXISTS folders (path TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS test_files (path TEXT PRIMARY KEY, digest TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS tests (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, file TEXT NOT NULL, seconds REAL NOT NULL
    );
    CREATE TABLE IF NOT EXISTS texts (digest TEXT PRIMARY KEY, content BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS looks (
        path TEXT NOT NULL, test_id INTEGER NOT NULL, digest TEXT NOT NULL, lines BLOB NOT NULL,
        PRIMARY KEY (path, test_id)
    ) WITHOUT ROWID;
"""
_NEAREST = 6


@dataclass(frozen=True, slots=True)
class Look:
    """What one test saw of one source: bit 7 is set if it ran line 7."""

    test: str
    path: str
    content: bytes
    lines: int


@dataclass(frozen=True, slots=True)
class Witness:
    name: str
    seconds: float
    # The lines that it ran in the source in question, as in a look.
    lines: int

    @property
    def breadth(self) -> int:
        """How many lines it ran: a test that runs few is about them."""
        return self.lines.bit_count()

    @property
    def file(self) -> str:
        return file_of(self.name)


class Seen:
    def __init__(self, path: Path, root: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._root = root
        self._rows = sqlite3.connect(path)
        self._rows.executescript(_TABLES)

    def close(self) -> None:
        self._rows.close()

    @property
    def is_empty(self) -> bool:
        return self._rows.execute("SELECT 1 FROM tests").fetchone() is None

    def changed_test_files(self) -> list[str]:
        """The files of tests that were recorded with another content, or are new in a folder that was recorded.

        One that is gone is forgotten.
        """
        known = dict(self._rows.execute("SELECT path, digest FROM test_files"))
        self._forget([path for path in known if not (self._root / path).exists()])
        places = [*known, *(path for (path,) in self._rows.execute("SELECT path FROM folders"))]
        files = {path for place in places for path in _test_files(self._root, place)}
        return sorted(path for path in files if _digest(self._root / path) != known.get(path))

    def replace(self, where: list[str], seconds: dict[str, float], looks: Iterable[Look]) -> None:
        """Everything that is known about the tests in these files and folders is what was now recorded."""
        self._forget([path for (path,) in self._rows.execute("SELECT path FROM test_files") if _is_below(path, where)])
        files = {path for test in where for path in _test_files(self._root, test)}
        folders = [(path,) for path in where if (self._root / path).is_dir()]
        with self._rows:
            self._rows.executemany("INSERT OR IGNORE INTO folders VALUES (?)", folders)
            self._rows.executemany(
                "INSERT INTO test_files VALUES (?, ?)", [(path, _digest(self._root / path)) for path in sorted(files)]
            )
            self._rows.executemany(
                "INSERT INTO tests (name, file, seconds) VALUES (?, ?, ?)",
                [(name, file_of(name), took) for name, took in seconds.items()],
            )
            self._insert(looks)

    def tests_at(self, path: str, lines: set[int], content: bytes) -> list[Witness]:
        """The tests that ran one of these lines of the source, whose content may have changed."""
        found = self._rows.execute(
            """SELECT name, seconds, lines, content FROM looks JOIN tests ON tests.id = test_id
               JOIN texts ON texts.digest = looks.digest WHERE path = ?""",
            (path,),
        )
        then: dict[bytes, int] = {}
        tests = []
        for name, seconds, blob, old in found:
            if old not in then:
                then[old] = sum(1 << line for line in former_lines(old, content, lines))
            ran = int.from_bytes(blob, "little")
            if ran & then[old]:
                tests.append(Witness(name, seconds, ran))
        return tests

    def _insert(self, looks: Iterable[Look]) -> None:
        ids = dict(self._rows.execute("SELECT name, id FROM tests"))
        digests: dict[bytes, str] = {}
        for look in looks:
            if look.content not in digests:
                digests[look.content] = hashlib.sha256(look.content).hexdigest()
                self._rows.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (digests[look.content], look.content))
            lines = look.lines.to_bytes((look.lines.bit_length() + 7) // 8, "little")
            row = (look.path, ids[look.test], digests[look.content], lines)
            self._rows.execute("INSERT INTO looks VALUES (?, ?, ?, ?)", row)

    def _forget(self, files: list[str]) -> None:
        with self._rows:
            for path in files:
                self._rows.execute("DELETE FROM looks WHERE test_id IN (SELECT id FROM tests WHERE file = ?)", (path,))
                self._rows.execute("DELETE FROM tests WHERE file = ?", (path,))
                self._rows.execute("DELETE FROM test_files WHERE path = ?", (path,))
            self._rows.execute("DELETE FROM texts WHERE digest NOT IN (SELECT digest FROM looks)")


def file_of(test: str) -> str:
    return test.partition("::")[0]


def former_lines(old: bytes, new: bytes, lines: Iterable[int]) -> set[int]:
    """The lines of the old content that these lines were; for a line that is new, the nearest kept ones around it."""
    if old == new:
        return set(lines)
    kept = _kept_lines(old, new)
    return {former for line in lines for former in _around(kept, line)}


@cache
def _kept_lines(old: bytes, new: bytes) -> dict[int, int]:
    """For each line of the new content that is in the old one: its number there."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return {
        block.b + step + 1: block.a + step + 1 for block in matcher.get_matching_blocks() for step in range(block.size)
    }


def _around(kept: dict[int, int], line: int) -> Iterator[int]:
    if line in kept:
        yield kept[line]
        return
    # Some, because the nearest may be empty or a comment, which nothing runs.
    nearest = sorted(kept, key=lambda known: abs(known - line))[:_NEAREST]
    yield from (kept[near] for near in nearest)


def _test_files(root: Path, where: str) -> Iterator[str]:
    path = root / where
    for file in [path] if path.is_file() else path.rglob("test_*.py"):
        yield file.relative_to(root).as_posix()


def _is_below(path: str, where: list[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in where)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
