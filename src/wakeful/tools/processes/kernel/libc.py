"""C library calls that Python lacks: inotify, holes in files, and hiding the process's memory from others."""

import ctypes
import os
from pathlib import Path

IN_MODIFY = 0x2
IN_ONESHOT = 0x80000000

_FALLOC_FL_KEEP_SIZE = 0x1
_FALLOC_FL_PUNCH_HOLE = 0x2

_PR_SET_DUMPABLE = 4

_libc = ctypes.CDLL(None, use_errno=True)
_libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
_libc.inotify_add_watch.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32]
_libc.inotify_rm_watch.argtypes = [ctypes.c_int, ctypes.c_int]


def open_inotify() -> int:
    return _checked(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))


def watch_file(inotify: int, path: Path, mask: int) -> int:
    """Return the watch descriptor that events of the file will carry."""
    return _checked(_libc.inotify_add_watch(inotify, os.fsencode(path), mask))


def unwatch_file(inotify: int, number: int) -> None:
    _checked(_libc.inotify_rm_watch(inotify, number))


def punch_hole(file: int, start: int, length: int) -> None:
    """Free the disk space of a part of a file. The file keeps its size, and the part reads as zeros."""
    _checked(_libc.fallocate(file, _FALLOC_FL_PUNCH_HOLE | _FALLOC_FL_KEEP_SIZE, start, length))


def make_undumpable() -> None:
    """Hide this process's memory and environment from all other processes but root's. The process itself cannot read
    /proc/self/environ any more either. Programs that it starts are not affected.
    """
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
