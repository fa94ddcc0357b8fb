"""Collects what a search finds, keeps no more of it than is shown, and writes it down sorted by path."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from wakeful.model.files.file_type import TEXT_BYTES, is_binary
from wakeful.tools.search.query import LINE_SHOWN

# The number of a line, whether it matches, and its text.
Line = tuple[int, bool, bytes]


@dataclass(slots=True)
class Findings:
    """The matches of a search, or the names if it has no pattern: then each file is one match without lines."""

    limit: int
    # Leads from the workspace to the folder that was searched.
    prefix: str
    context: int = 0
    total: int = 0
    # Our own search stops counting what is not shown after a while.
    is_counted: bool = True
    # The lines that were found in each file that may be shown.
    files: dict[bytes, list[Line]] = field(default_factory=dict)
    # Files with more matches than were printed.
    to_count: list[bytes] = field(default_factory=list)
    _kept: int = 0

    def add(self, path: bytes, lines: Sequence[Line]) -> None:
        if not path:
            # The last line of our own search: how many matches follow, and whether these are all.
            ((more, self.is_counted, _),) = lines
            self.total += more
            return
        # ripgrep may mark more lines after the last match that it was asked for.
        matches = min(_matches_in(lines), self.limit + 1)
        self.total += matches
        if matches > self.limit:
            self.to_count.append(path)
        self.files[path] = list(lines)
        self._kept += matches
        if len(self.files) > 2 * self.limit or self._kept > 4 * self.limit:
            self._drop_last()

    def add_count(self, count: int) -> None:
        """Correct the number of matches in a file, of which `limit + 1` were counted before."""
        self.total += count - self.limit - 1

    def shown(self) -> list[str]:
        """Return the lines of the result."""
        shown: list[str] = []
        left = self.limit
        for path in sorted(self.files):
            if left <= 0:
                break
            name = self.prefix + path.decode(errors="replace")
            lines = self.files[path]
            if shown and self.context:
                shown.append("--")
            shown += _written(name, _cut(lines, left, self.context), has_gaps=bool(self.context)) if lines else [name]
            left -= _matches_in(lines)
        if hidden := self.total - min(self.total, self.limit):
            shown.append(f"[{hidden:,} more matches are not shown.]")
        return shown if self.is_counted else [*shown, "[There are still more: they were not counted to the end.]"]

    def _drop_last(self) -> None:
        """Forget the files that stand after as many matches as are shown."""
        left, kept = self.limit, {}
        for path in sorted(self.files):
            if left > 0:
                kept[path] = self.files[path]
                left -= _matches_in(kept[path])
        self.files, self._kept = kept, self.limit - left


class LineReader:
    """Reads `PATH NUL LINE SIGN TEXT LF`, as it arrives, and returns the lines of each file when it is complete."""

    def __init__(self) -> None:
        self._rest = b""
        self._path: bytes | None = None
        self._lines: list[Line] = []

    def feed(self, data: bytes) -> Iterator[tuple[bytes, list[Line]]]:
        data, at = self._rest + data, 0
        while (nul := data.find(b"\0", at)) >= 0 and (end := data.find(b"\n", nul)) >= 0:
            path, line = data[at:nul], data[nul + 1 : end]
            at = end + 1
            if path != self._path:
                yield from self.finish()
                self._path = path
            self._lines.append(_line_of(line))
        self._rest = data[at:]

    def finish(self) -> Iterator[tuple[bytes, list[Line]]]:
        if self._path is not None:
            yield self._path, self._lines
        self._path, self._lines = None, []


class NameReader:
    """Reads `PATH NUL` as it arrives."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[tuple[bytes, list[Line]]]:
        *paths, self._rest = (self._rest + data).split(b"\0")
        yield from ((path, []) for path in paths)

    def finish(self) -> Iterator[tuple[bytes, list[Line]]]:
        return iter(())


def text_files(folder: str, paths: Iterable[bytes]) -> set[bytes]:
    """Return those of the paths that are text."""
    return {path for path in paths if _is_text(os.path.join(os.fsencode(folder), path))}


def _is_text(path: bytes) -> bool:
    try:
        with open(path, "rb", buffering=0) as file:
            return not is_binary(file.read(TEXT_BYTES))
    except OSError:
        return False


def _line_of(line: bytes) -> Line:
    digits = len(line) - len(line.lstrip(b"0123456789"))
    return int(line[:digits]), line[digits : digits + 1] == b":", line[digits + 1 :]


def _matches_in(lines: Sequence[Line]) -> int:
    return sum(is_match for _, is_match, _ in lines) or 1


def _cut(lines: Sequence[Line], limit: int, context: int) -> list[Line]:
    """Return the lines of the first matches, and the lines around them."""
    matches = [number for number, is_match, _ in lines if is_match]
    if len(matches) <= limit:
        return list(lines)
    last = matches[limit - 1]
    return [(number, is_match and number <= last, text) for number, is_match, text in lines if number <= last + context]


def _written(name: str, lines: Sequence[Line], *, has_gaps: bool) -> Iterator[str]:
    before = None
    for number, is_match, text in lines:
        if before is not None and number > before + 1 and has_gaps:
            yield "--"
        sign = ":" if is_match else "-"
        words = text.removesuffix(b"\r").decode(errors="replace")[:LINE_SHOWN]
        yield f"{name}{sign}{number}{sign}{words}"
        before = number
