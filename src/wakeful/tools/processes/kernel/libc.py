"""The calls of the C library that Python does not have: inotify, holes in files, and closing oneself to others."""

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
    """Return the number under which inotify will speak of the file."""
    return _checked(_libc.inotify_add_watch(inotify, os.fsencode(path), mask))


def unwatch_file(inotify: int, number: int) -> None:
    _checked(_libc.inotify_rm_watch(inotify, number))


def punch_hole(file: int, start: int, length: int) -> None:
    """Give the disk back that this part of a file takes. The file keeps its size; the part reads as zeros."""
    _checked(_libc.fallocate(file, _FALLOC_FL_PUNCH_HOLE | _FALLOC_FL_KEEP_SIZE, start, length))


def make_undumpable() -> None:
    """From now on no process of the same user reads our memory or environment; only root does. Neither do we read our
    own /proc/self/environ any more. Programs that we start are as open as ever.
    """
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
