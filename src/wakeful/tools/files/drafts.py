"""What a call would write to a file, before it does."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from wakeful.model.files.file_type import is_binary
from wakeful.model.journal.change import ChangeKind
from wakeful.opened_files import open_file
from wakeful.tools.base import Unusable
from wakeful.tools.files.copies import LARGEST_KEPT
from wakeful.tools.files.diff import Comparison, compare, count_lines
from wakeful.tools.files.matching import replaced
from wakeful.tools.files.replacing import ABSENT, mark_of, mark_of_content

# A larger file is not edited: all of it would have to be in memory.
_LARGEST_EDITED = 50 * 1024 * 1024
_BOM = "\ufeff".encode()


@dataclass(frozen=True, slots=True)
class FileDraft:
    path: Path
    # The path as people see it.
    name: str
    after: bytes
    is_edit: bool
    # What stands in the file, and its mark. None: nothing does, or it is too large to be read.
    before: bytes | None
    before_mark: str

    @property
    def kind(self) -> ChangeKind:
        return ChangeKind.CREATED if self.before_mark == ABSENT else ChangeKind.CHANGED

    @property
    def is_undoable(self) -> bool:
        """Whether what stands there can be kept."""
        return self.kind is ChangeKind.CREATED or (self.before is not None and len(self.before) <= LARGEST_KEPT)

    def comparison(self) -> Comparison:
        if self.before is None and self.kind is ChangeKind.CHANGED:
            return Comparison(too_large_note(self.name), count_lines(self.after), 0)
        return compare(self.before, self.after, self.name)


def answer_text(name: str, kind: ChangeKind, comparison: Comparison, size: int, *, is_edit: bool) -> str:
    counts = f"+{comparison.added} -{comparison.removed}"
    if is_edit:
        return f"Changed {name}: {counts}.\n{comparison.diff}"
    return f"Wrote {size} bytes to {name} ({kind}, {counts})."


def draft_of_write(path: Path, name: str, content: str) -> FileDraft:
    """Return the draft of a whole file, which keeps the byte order mark and the line ends that it has."""
    data = content.encode(errors="replace")
    try:
        before = _content_of(path, LARGEST_KEPT)
    except (FileNotFoundError, NotADirectoryError):
        return FileDraft(path, name, data, is_edit=False, before=None, before_mark=ABSENT)
    if before is None:
        return FileDraft(path, name, data, is_edit=False, before=None, before_mark=mark_of(path))
    return FileDraft(path, name, _in_form_of(before, data), False, before, mark_of_content(before))


def draft_of_edit(path: Path, name: str, old: str, new: str, *, everywhere: bool) -> FileDraft:
    """Return the draft of a file with one text replaced. Raises Unusable."""
    if not old:
        raise Unusable("old_text must not be empty: to write a whole file, use write_file")
    if old == new:
        raise Unusable("old_text and new_text are the same, so nothing would change", "unchanged")
    before = _content_of(path, _LARGEST_EDITED)
    if before is None:
        raise Unusable(f"{name} is too large to be edited: the limit is {_LARGEST_EDITED:,} bytes", "too_large")
    if is_binary(before) or not _is_utf8(before):
        raise Unusable(f"{name} is not a text file", "binary")
    after = replaced(before, old, new, name, everywhere=everywhere)
    if after == before:
        raise Unusable("old_text and new_text differ in their line ends only, which stay as they are", "unchanged")
    return FileDraft(path, name, after, True, before, mark_of_content(before))


def too_large_note(name: str) -> str:
    return f"[{name} was too large to be compared; the lines that it had are not counted.]"


def _content_of(path: Path, largest: int) -> bytes | None:
    """Return None for a file that is larger. Raises OSError."""
    with open_file(path) as file:
        return file.read() if os.fstat(file.fileno()).st_size <= largest else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _in_form_of(before: bytes, data: bytes) -> bytes:
    """Return new content with the byte order mark of the old one, and with CRLF if all of its lines end so."""
    if before.startswith(_BOM) and not data.startswith(_BOM):
        data = _BOM + data
    ends = before.count(b"\r\n")
    return re.sub(rb"(?<!\r)\n", b"\r\n", data) if ends and ends == before.count(b"\n") else data
