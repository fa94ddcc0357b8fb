"""Reads the beginning of a file that becomes part of a prompt."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from wakeful.model.files.file_type import is_binary


@dataclass(frozen=True, slots=True)
class Beginning:
    text: str
    # The size of the whole file, in bytes.
    size: int
    is_cut: bool
    is_binary: bool = False

    def noted(self, name: str) -> str:
        """Return the text, with a line at its end that says so if the file is longer."""
        if not self.is_cut:
            return self.text
        return f"{self.text}\n[Cut: {name} has {self.size:,} bytes, and only its beginning is shown.]"


def beginning_of(path: Path, limit: int) -> Beginning | None:
    """Return up to `limit` bytes of a regular file as text; None if there is none that can be read."""
    try:
        # A pipe of that name must not block the turn.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                return None
            data = file.read(limit + 1)
    except OSError:
        return None
    is_cut = len(data) > limit
    # A character that is cut in half is left out; other bytes that are not UTF-8 are replaced, and zeros, which some
    # endpoints refuse.
    text = data[:limit].decode(errors="replace").replace("\0", "\ufffd").rstrip("\ufffd" if is_cut else "")
    return Beginning(text.strip(), state.st_size, is_cut, is_binary=is_binary(data))
