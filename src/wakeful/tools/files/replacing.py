"""Replaces files at once and for good: a reader sees the old content or the new one, also after a crash."""

import hashlib
import os
from pathlib import Path

from wakeful.model.ids import new_id

# The mark of a file that does not exist.
ABSENT = ""
# Larger files are marked by their size and time: reading them takes too long.
_LARGEST_READ = 50 * 1024 * 1024


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, which keeps its mode, and wait until it is on the disk."""
    temporary = path.with_name(f".{new_id('write')}.tmp")
    mode = path.stat().st_mode & 0o7777 if path.exists() else None
    try:
        # From the start no wider than the file is: it may be a secret.
        with open(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600), "wb"
        ) as file:
            file.write(data)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def remove_file(path: Path) -> None:
    path.unlink()
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Wait until the folder's names are on the disk."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def mark_of(path: Path) -> str:
    """Return a text that tells the file's content from any other."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return ABSENT
    if status.st_size > _LARGEST_READ:
        return f"{status.st_size} bytes at {status.st_mtime_ns}"
    return mark_of_content(path.read_bytes())


def mark_of_content(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
