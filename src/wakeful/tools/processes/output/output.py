"""Reads the output of a process. However long it is, only the part that is shown is read."""

import os
from dataclasses import dataclass
from pathlib import Path

from wakeful.tools.processes.output.secrets import Redactor

# The most bytes that a character has in UTF-8.
_WIDEST = 4
# A text that is cut keeps 40 % from its beginning and 60 % from its end.
HEAD_SHARE = 0.4
# The most bytes of a cut text that are kept as a file.
MOST_KEPT = 10 * 1024 * 1024
_READ_AT_ONCE = 1024 * 1024
_NOT_CONTINUING = bytes(byte for byte in range(256) if byte & 0xC0 != 0x80)


@dataclass(frozen=True, slots=True)
class Page:
    """A part of an output; offsets are in bytes."""

    text: str
    offset: int
    next_offset: int


class Output:
    def __init__(self, path: Path, redactor: Redactor) -> None:
        self.path = path
        self._redactor = redactor

    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def read(self, start: int, end: int) -> bytes:
        """Return the raw bytes, secrets included."""
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                return file.read(max(0, end - start))
        except FileNotFoundError:
            return b""

    def text(self, start: int, end: int) -> str:
        """Return the bytes from start to end with secrets masked, also those that cross a boundary."""
        return self._masked(start, end).decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")

    def _masked(self, start: int, end: int) -> bytes:
        before = max(0, start - self._redactor.margin)
        data = self.read(before, end + self._redactor.margin)
        return self._redactor.redact(data, start - before, end - before)

    def tail(self, characters: int) -> tuple[str, bool]:
        """Return the last characters, and whether there are more before them."""
        size = self.size()
        start = self._tail_start(characters, size)
        return self.text(start, size), start > 0

    def excerpt(self, characters: int, keep_in: Path | None = None) -> str:
        """Return all of it, or its beginning and end around a line that says how long it is. Then all of it is kept in
        the file `keep_in`.
        """
        size = self.size()
        if self._tail_start(characters, size) == 0:
            return self.text(0, size)
        if keep_in is not None:
            self._copy_to(keep_in, min(size, MOST_KEPT))
        mark = f"\n[… {cut_note(self._count(size), keep_in)} …]\n"
        characters -= len(mark)
        head_end = self._head_end(int(characters * HEAD_SHARE))
        tail_start = self._tail_start(characters - int(characters * HEAD_SHARE), size)
        return self.text(0, head_end) + mark + self.text(tail_start, size)

    def page(self, offset: int, limit: int, *, is_whole: bool) -> Page:
        """Return at most `limit` bytes from an offset. A character that may be incomplete waits for the next page,
        unless the output is whole. A trimmed part is skipped: the page's offset says where its text begins.
        """
        size = self.size()
        start = self._skip_hole(min(max(offset, 0), size), size)
        end = self._hole_start(start, min(start + limit, size))
        if end < size or not is_whole:
            end = self._before_split_character(start, end)
        return Page(self.text(start, end), start, end)

    def _copy_to(self, path: Path, size: int) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("wb") as file:
            for start in range(0, size, _READ_AT_ONCE):
                file.write(self._masked(start, min(start + _READ_AT_ONCE, size)))

    def _count(self, size: int) -> int:
        """Return the number of characters: of bytes that do not continue one."""
        return sum(_characters_in(self.read(start, start + _READ_AT_ONCE)) for start in range(0, size, _READ_AT_ONCE))

    def _head_end(self, characters: int) -> int:
        text = _exact(self.read(0, characters * _WIDEST))
        return len(_bytes_of(text[:characters]))

    def _tail_start(self, characters: int, size: int) -> int:
        start = max(0, size - characters * _WIDEST)
        data = self.read(start, size)
        if start > 0:
            data = data[_split_character_at_start(data) :]
        text = _exact(data)
        return size - len(_bytes_of(text[-characters:]))

    def _before_split_character(self, start: int, end: int) -> int:
        data = self.read(max(start, end - _WIDEST), end)
        return end - _split_character_at_end(data)

    def _skip_hole(self, offset: int, size: int) -> int:
        return self._seek(offset, os.SEEK_DATA, size) if offset < size else offset

    def _hole_start(self, start: int, end: int) -> int:
        return min(end, self._seek(start, os.SEEK_HOLE, end)) if start < end else end

    def _seek(self, offset: int, whence: int, otherwise: int) -> int:
        with self.path.open("rb") as file:
            try:
                return os.lseek(file.fileno(), offset, whence)
            except OSError:
                # No data follows the offset.
                return otherwise


def cut_note(characters: int, path: Path | None) -> str:
    """Return what stands where a text was cut."""
    where = f"; the whole text is in {path}" if path else ""
    return f"cut: {characters} characters in all{where}"


def _characters_in(data: bytes) -> int:
    return len(data) - len(data.translate(None, _NOT_CONTINUING))


def _exact(data: bytes) -> str:
    """Decode reversibly: a byte that is not part of a character becomes one character."""
    return data.decode(errors="surrogateescape")


def _bytes_of(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _split_character_at_start(data: bytes) -> int:
    """Count the bytes of a character that begins before the data."""
    for count, byte in enumerate(data[: _WIDEST - 1]):
        if byte & 0xC0 != 0x80:
            return count
    return 0


def _split_character_at_end(data: bytes) -> int:
    """Count the bytes of a character that ends after the data."""
    for count in range(1, min(_WIDEST, len(data) + 1)):
        byte = data[-count]
        if byte & 0xC0 == 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return count if length > count else 0
        if byte < 0x80:
            return 0
    return 0
