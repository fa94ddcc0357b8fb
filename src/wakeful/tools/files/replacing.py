"""Replaces files at once and for good: a reader sees the old content or the new one, also after a crash."""

import errno
import hashlib
import os
from contextlib import suppress
from pathlib import Path

from wakeful.model.ids import new_id
from wakeful.opened_files import open_file, opened_folder

# The mark of a file that does not exist.
ABSENT = ""
# Larger files are marked by their size and time: reading them takes too long.
_LARGEST_READ = 50 * 1024 * 1024
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, which keeps its mode and owner, and wait until it is on the disk. Raises OSError, also for a file
    that may not be written.
    """
    with opened_folder(path.parent) as folder:
        temporary = f".{new_id('write')}.tmp"
        before = _status_in(folder, path.name)
        try:
            # From the start no wider than the file is: it may be a secret.
            file = os.open(temporary, _CREATE, 0o666 if before is None else 0o600, dir_fd=folder)
            with open(file, "wb") as writer:
                writer.write(data)
                writer.flush()
                if before is not None:
                    _make_like(before, file)
                os.fsync(file)
            os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
        _sync(folder)


def remove_file(path: Path) -> None:
    with opened_folder(path.parent) as folder:
        os.unlink(path.name, dir_fd=folder)
        _sync(folder)


def sync_folder(path: Path) -> None:
    """Wait until the folder's names are on the disk."""
    with opened_folder(path) as folder:
        _sync(folder)


def mark_of(path: Path) -> str:
    """Return a text that tells the file's content from any other."""
    try:
        with open_file(path) as file:
            status = os.fstat(file.fileno())
            if status.st_size > _LARGEST_READ:
                return f"{status.st_size} bytes at {status.st_mtime_ns}"
            return mark_of_content(file.read())
    except FileNotFoundError:
        return ABSENT


def _status_in(folder: int, name: str) -> os.stat_result | None:
    """Return None for a file that does not exist."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    # To replace it, the right to write in the folder would do: what its owner has locked would be lost.
    if not os.access(name, os.W_OK, dir_fd=folder):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return status


def _make_like(before: os.stat_result, file: int) -> None:
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        # Only root may give files away.
        with suppress(PermissionError):
            os.fchown(file, before.st_uid, before.st_gid)
    os.fchmod(file, before.st_mode & 0o7777)


def _sync(folder: int) -> None:
    opened = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def mark_of_content(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
