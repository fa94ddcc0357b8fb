"""Our own search, for machines without ripgrep. It prints what ripgrep would, and runs as a process of its own, which
can be ended at any time: `python -m wakeful.tools.search.own_search QUERY [FILE…]`. With files it counts their matches.
"""

import mmap
import os
import signal
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, BinaryIO

from wakeful.tools.search.expressions import compiled, compiled_glob
from wakeful.tools.search.ignoring import Ignored
from wakeful.tools.search.query import LINE_BYTES, SECONDS, Query

# Larger files are mapped into memory, so a line of any length costs none.
_READ_WHOLE = 1024 * 1024
_BLOCK = 1024 * 1024


def search_by_query() -> None:
    # The server ends a search that takes too long; this holds if the server itself was killed.
    signal.setitimer(signal.ITIMER_REAL, SECONDS + 5)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    query = Query.load(sys.argv[1])
    out = sys.stdout.buffer
    if files := sys.argv[2:]:
        _count(query, files, out)
    elif query.pattern is None:
        for path in _paths(query):
            out.write(os.fsencode(path) + b"\0")
    else:
        _search(query, out)
    out.flush()


def _search(query: Query, out: BinaryIO) -> None:
    expression = _expression_of(query)
    for path in _paths(query):
        with suppress(OSError), _opened(path) as text:
            for line, sign, words in _shown(text, expression, query):
                out.write(os.fsencode(path) + b"\0%d%s%s\n" % (line, sign, words))


def _count(query: Query, files: Sequence[str], out: BinaryIO) -> None:
    expression = _expression_of(query)
    for path in files:
        with suppress(OSError), _opened(path) as text:
            out.write(os.fsencode(path) + b"\0%d\n" % sum(1 for _ in text.hits(expression)))


def _expression_of(query: Query) -> Any:
    assert query.pattern is not None
    return compiled(query.pattern.re2)


def _paths(query: Query) -> Iterator[str]:
    """Yield the files to search, as paths relative to the query's folder."""
    if query.start != ".":
        yield query.start
        return
    rules = None if query.reads_ignored else Ignored.from_above(os.path.abspath(query.folder))
    names = compiled_glob(query.name_glob) if query.name_glob else None
    for path in _below(os.path.abspath(query.folder), "", rules, frozenset(query.closed)):
        if names is None or names.fullmatch(os.fsencode(os.path.basename(path))):
            yield path


def _below(root: str, folder: str, rules: Ignored | None, closed: frozenset[str]) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or path in closed or not (is_folder or entry.is_file(follow_symlinks=False)):
            continue
        full = os.path.join(root, path)
        if rules is not None and rules.hides(full, is_folder=is_folder):
            continue
        if is_folder:
            yield from _below(root, path, rules and Ignored.of(full, rules), closed)
        else:
            yield path


class _Text:
    """The bytes of a file, in which lines are found. A line is its number and where it begins and ends."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data = data

    def hits(self, expression: Any) -> Iterator[tuple[int, int, int]]:
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


def _shown(text: _Text, expression: Any, query: Query) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the lines that match and those around them: the number, `:` or `-`, and the beginning of the text."""
    hits = list(islice(text.hits(expression), query.most))
    last = 0
    for index, (number, start, end) in enumerate(hits):
        before = text.before(start, min(query.context, number - last - 1))
        for back, line in enumerate(before):
            yield number - len(before) + back, b"-", text.shown(*line)
        yield number, b":", text.shown(start, end)
        until = hits[index + 1][0] - number - 1 if index + 1 < len(hits) else query.context
        after = text.after(end, min(query.context, until))
        for ahead, line in enumerate(after, start=1):
            yield number + ahead, b"-", text.shown(*line)
        last = number + len(after)


@contextmanager
def _opened(path: str) -> Iterator[_Text]:
    # A pipe that has taken the place of a file must not block.
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb", buffering=0) as file:
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
