"""A copy of the source in which faults are planted, so that the working copy stays as it is."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_IGNORED = shutil.ignore_patterns("__pycache__")


class Copy:
    def __init__(self, root: Path, folder: Path) -> None:
        shutil.copytree(root / "src", folder / "src", ignore=_IGNORED)
        self._folder = folder
        self._written_at = int(os.stat(root / "src").st_mtime)

    @property
    def import_path(self) -> str:
        return str(self._folder / "src")

    @contextmanager
    def planted(self, path: str, content: bytes) -> Iterator[None]:
        file = self._folder / path
        before = file.read_bytes()
        self._write(file, content)
        try:
            yield
        finally:
            self._write(file, before)

    def _write(self, file: Path, content: bytes) -> None:
        """Give each content a time of its own: Python takes a compiled file by its source's size and second."""
        file.write_bytes(content)
        self._written_at += 1
        os.utime(file, (self._written_at, self._written_at))
