"""Runs tests once and learns which lines of the source each of them runs, and how long it takes."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from mutants.seen import Look, Seen
from mutants.source import Source
from mutants.targets import PACKAGE

# Coverage's own file: https://coverage.readthedocs.io/en/latest/dbschema.html
_LINES = """
    SELECT context.context, file.path, line_bits.numbits FROM line_bits
    JOIN context ON context.id = line_bits.context_id JOIN file ON file.id = line_bits.file_id
    WHERE context.context <> ''
"""
# pytest's exit codes when all tests ran, some failed, and there were none.
_RAN = (0, 1, 5)


def record(root: Path, seen: Seen, tests: list[str], processes: int) -> int:
    """Run the tests in these files and folders, replace what was known of them, and return how many passed.

    Raises ValueError if they could not all run; what was known then stays.
    """
    with tempfile.TemporaryDirectory(prefix="wakeful-recording-") as folder:
        _run(root, Path(folder), tests, processes)
        seconds = {name: took for told in _told(Path(folder)) for name, took in told.items()}
        looks = list(_looks(root, Path(folder), seconds))
    seen.replace(tests, seconds, looks)
    return len(seconds)


def _run(root: Path, folder: Path, tests: list[str], processes: int) -> None:
    here = Path(__file__).parent
    path = os.pathsep.join(map(str, [here / "start", here.parent.parent, root / "src"]))
    told = {"PYTHONPATH": path, "MUTANTS_RECORDINGS": str(folder), "MUTANTS_PACKAGE": str(root / PACKAGE)}
    command = [sys.executable, "-m", "pytest", "-p", "mutants.recording.plugin", "-p", "no:cacheprovider", "-q"]
    spread = ["-n", str(processes), "--dist", "worksteal"] if processes else []
    done = subprocess.run(
        [*command, *spread, "--reruns", "1", *tests],
        cwd=root,
        env=os.environ | told,
        check=False,  # a test that fails here cannot catch a fault, and is left out
    )
    if done.returncode not in _RAN:
        raise ValueError("Nothing was recorded, because pytest ended early: mend what it says above, and try again.")


def _told(folder: Path) -> Iterator[dict[str, float]]:
    for told in folder.glob("*/seconds.json"):
        yield json.loads(told.read_text())


def _looks(root: Path, folder: Path, tests: dict[str, float]) -> Iterator[Look]:
    """What the tests saw of each file, without the lines that run in every process that imports it."""
    lines: dict[tuple[str, str], int] = defaultdict(int)
    for data in folder.glob("*/lines.*"):
        for test, path, bits in _rows(data):
            if test in tests:
                lines[test, path] |= int.from_bytes(bits, "little")
    sources = {path: _read(root, path) for path in {path for _, path in lines}}
    inside = {path: sum(1 << line for line in source.function_lines) for path, source in sources.items()}
    for (test, path), seen in lines.items():
        if seen & inside[path]:
            yield Look(test, sources[path].path, sources[path].content, seen & inside[path])


def _rows(data: Path) -> list[tuple[str, str, bytes]]:
    with closing(sqlite3.connect(data)) as connection:
        try:
            return connection.execute(_LINES).fetchall()
        except sqlite3.DatabaseError:
            return []  # its process was killed while it wrote, or was not allowed to write as much


def _read(root: Path, path: str) -> Source:
    return Source(Path(path).relative_to(root).as_posix(), Path(path).read_bytes())
