"""Opens files and folders by paths whose links were followed before. None is followed again: a folder that was
exchanged for a link since the path was checked does not lead elsewhere.
"""

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Enough to go on from, also in a folder that may not be listed.
_STEP = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def open_file(path: Path) -> io.BufferedReader:
    """Raises OSError: IsADirectoryError, and the same for a pipe, a device or a socket, which is never waited for."""
    with opened_folder(path.parent) as folder:
        file = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return open(file, "rb")
    except BaseException:
        os.close(file)
        raise


@contextmanager
def scanned_folder(path: Path) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Yield the entries of a folder, which can be asked about until the block ends. Raises OSError."""
    with opened_folder(path) as folder:
        listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            with os.scandir(listed) as entries:
                yield entries
        finally:
            os.close(listed)


@contextmanager
def opened_folder(path: Path) -> Iterator[int]:
    """Yield the folder, for `dir_fd`. Raises OSError."""
    folder = os.open(path.anchor or ".", _STEP)
    try:
        for name in path.parts:
            inner = os.open(name, _STEP, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)
