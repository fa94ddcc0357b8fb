"""Our own search, for machines without ripgrep. It prints what ripgrep would, sorted by path, and runs as a process of
its own, which can be ended at any time: `python -m wakeful.tools.search.own_search QUERY`. Matches beyond `most` are
only counted, and their number follows in a line of an empty path: exact with `:`, at least so many with `-`.
"""

import mmap
import os
import signal
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from wakeful.model.files.file_type import TEXT_BYTES, is_binary
from wakeful.opened_files import opened_folder
from wakeful.tools.search.expressions import compiled, path_filter
from wakeful.tools.search.ignoring import Ignored
from wakeful.tools.search.query import LINE_BYTES, SECONDS, Query

# Larger files are mapped into memory, so a line of any length costs none.
_READ_WHOLE = 1024 * 1024
_BLOCK = 1024 * 1024
# How long matches that are not shown are counted, and after how many the clock is looked at.
_COUNTING_SECONDS = 1.0
_COUNTED_AT_ONCE = 1_000

# The number of a line, and where it begins and ends.
_Hit = tuple[int, int, int]


def search_by_query() -> None:
    # The server ends a search that takes too long; this holds if the server itself was killed.
    signal.setitimer(signal.ITIMER_REAL, SECONDS + 5)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    print_found(Query.load(sys.argv[1]), sys.stdout.buffer)
    sys.stdout.buffer.flush()


def print_found(query: Query, out: BinaryIO) -> None:
    with opened_folder(Path(query.folder)) as folder:
        if query.pattern is None:
            for _, path in _files(query, folder):
                out.write(os.fsencode(path) + b"\0")
        else:
            _search(query, folder, out)


def _search(query: Query, folder: int, out: BinaryIO) -> None:
    assert query.pattern is not None
    expression = compiled(query.pattern.re2)
    printer = _Printer(query, out)
    for inside, path in _files(query, folder):
        with suppress(OSError), _opened(inside, os.path.basename(path)) as text:
            if text.is_text:
                printer.take(os.fsencode(path), text, text.hits(expression))
        if not printer.is_counting:
            break
    printer.finish()


class _Printer:
    """Prints the first matches and counts the others, for a while."""

    def __init__(self, query: Query, out: BinaryIO) -> None:
        self._query = query
        self._out = out
        self._left = query.most
        self._more = 0
        self._until = 0.0
        self.is_counting = True

    def take(self, path: bytes, text: "_Text", hits: Iterator[_Hit]) -> None:
        if self._left:
            shown = list(islice(hits, self._left))
            for line, sign, words in _with_context(text, shown, self._query.context):
                self._out.write(path + b"\0%d%s%s\n" % (line, sign, words))
            self._left -= len(shown)
            if not self._left:
                self._out.flush()
                self._until = time.monotonic() + _COUNTING_SECONDS
        if not self._left:
            self._count(hits)

    def _count(self, hits: Iterator[_Hit]) -> None:
        while self.is_counting and (found := sum(1 for _ in islice(hits, _COUNTED_AT_ONCE))):
            self._more += found
            self.is_counting = time.monotonic() < self._until

    def finish(self) -> None:
        self._out.write(b"\0%d%s\n" % (self._more, b":" if self.is_counting else b"-"))


def _files(query: Query, folder: int) -> Iterator[tuple[int, str]]:
    """Yield the files to search, each with its opened folder, as paths relative to the query's folder."""
    if query.start != ".":
        yield folder, query.start
        return
    rules = None if query.reads_ignored else Ignored.from_above(query.folder)
    is_wanted = path_filter(query.glob, query.prefix)
    for inside, path in _below(folder, query.folder, "", rules, frozenset(query.closed)):
        if is_wanted(os.fsencode(path)):
            yield inside, path


def _below(
    folder: int, root: str, name: str, rules: Ignored | None, closed: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """Yield files in the order of their paths. No link is followed, also none that has taken the place of a folder."""
    for entry, is_folder in _entries(folder):
        path = f"{name}/{entry}" if name else entry
        full = os.path.join(root, path)
        if path in closed or (rules is not None and rules.hides(full, is_folder=is_folder)):
            continue
        if not is_folder:
            yield folder, path
            continue
        with suppress(OSError):
            inner = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            try:
                yield from _below(inner, root, path, rules and Ignored.of(full, rules), closed)
            finally:
                os.close(inner)


def _entries(folder: int) -> Sequence[tuple[str, bool]]:
    """Return the names of the files and folders, and which are folders, in the order of the paths below them."""
    listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
    try:
        with os.scandir(listed) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries if _is_searched(entry)]
    finally:
        os.close(listed)
    return sorted(found, key=lambda entry: os.fsencode(entry[0]) + (b"/" if entry[1] else b""))


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return entry.name != ".git" and (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False))


class _Text:
    """The bytes of a file, in which lines are found. A line is its number and where it begins and ends."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data = data

    @property
    def is_text(self) -> bool:
        return not is_binary(self._data[:TEXT_BYTES])

    def hits(self, expression: Any) -> Iterator[_Hit]:
        """Yield the lines that match."""
        number, at = 1, 0
        while at < len(self._data) and (match := expression.search(self._data, at)):
            # An empty match after the last line break lies in no line.
            if match.start() == len(self._data) and self._data[-1:] == b"\n":
                return
            start = self._data.rfind(b"\n", at, match.start()) + 1 or at
            number += self._breaks(at, start)
            end = self._end(start)
            yield number, start, end
            number, at = number + 1, end + 1

    def before(self, start: int, count: int) -> list[tuple[int, int]]:
        lines: list[tuple[int, int]] = []
        while len(lines) < count and start > 0:
            end = start - 1
            start = self._data.rfind(b"\n", 0, end) + 1
            lines.insert(0, (start, end))
        return lines

    def after(self, end: int, count: int) -> list[tuple[int, int]]:
        lines: list[tuple[int, int]] = []
        while len(lines) < count and end + 1 < len(self._data):
            start, end = end + 1, self._end(end + 1)
            lines.append((start, end))
        return lines

    def shown(self, start: int, end: int) -> bytes:
        return self._data[start : min(end, start + LINE_BYTES)]

    def _end(self, start: int) -> int:
        end = self._data.find(b"\n", start)
        return len(self._data) if end < 0 else end

    def _breaks(self, start: int, end: int) -> int:
        return sum(self._data[at : min(at + _BLOCK, end)].count(b"\n") for at in range(start, end, _BLOCK))


def _with_context(text: _Text, hits: Sequence[_Hit], context: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the lines that match and those around them: the number, `:` or `-`, and the beginning of the text."""
    last = 0
    for index, (number, start, end) in enumerate(hits):
        before = text.before(start, min(context, number - last - 1))
        for back, line in enumerate(before):
            yield number - len(before) + back, b"-", text.shown(*line)
        yield number, b":", text.shown(start, end)
        until = hits[index + 1][0] - number - 1 if index + 1 < len(hits) else context
        after = text.after(end, min(context, until))
        for ahead, line in enumerate(after, start=1):
            yield number + ahead, b"-", text.shown(*line)
        last = number + len(after)


@contextmanager
def _opened(folder: int, name: str) -> Iterator[_Text]:
    # A pipe that has taken the place of a file must not block.
    opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with open(opened, "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            yield _Text(b"")
        elif status.st_size <= _READ_WHOLE:
            yield _Text(file.readall())
        else:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                yield _Text(data)


if __name__ == "__main__":
    search_by_query()
