"""Allows one process per SQLite file: a lock file beside it, which the kernel unlocks however the process ends."""

import fcntl
import os
from pathlib import Path

from wakeful.errors import StoreLocked


class FileLock:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self) -> None:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 32).decode(errors="replace").strip()
            os.close(file)
            raise StoreLocked(
                f"{self._path.with_suffix('')} is in use by another Wakeful (process {holder or 'unknown'}): "
                "stop that one first, or set WAKEFUL_HOME to another folder."
            ) from None
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        self._file = file

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
