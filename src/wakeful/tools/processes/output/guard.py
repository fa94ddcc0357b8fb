"""Keeps outputs from filling the disk."""

import errno
import logging
import os
import shutil
from pathlib import Path

from wakeful.tools.processes.kernel.libc import punch_hole
from wakeful.tools.processes.settings import MIB, ProcessSettings

_BLOCK = 4096
_HEAD = 4 * MIB

logger = logging.getLogger(__name__)


class OutputGuard:
    def __init__(self, settings: ProcessSettings) -> None:
        self._settings = settings
        self._can_trim = True

    def require_room(self) -> None:
        """Raise OSError if the disk is almost full, early enough to leave room for everything else."""
        free = _free_at(self._settings.root)
        if free < self._settings.minimum_free:
            needed = self._settings.minimum_free // MIB
            reason = f"the disk for its output is almost full: {free // MIB:,} MiB are free, {needed:,} MiB are needed"
            raise OSError(errno.ENOSPC, reason)

    def largest_file(self, workdir: Path) -> int:
        """Return the size limit for every file of a command, which protects the disk also while no server runs to trim
        the output. It is as large as the disk allows: a large download must not be stopped.
        """
        room = max(_free_at(self._settings.root), _free_at(workdir)) - self._settings.disk_reserve
        return max(4 * self._settings.output_cap, room)

    def is_too_large(self, output: Path) -> bool:
        try:
            return self._can_trim and output.stat().st_blocks * 512 > self._settings.output_cap
        except FileNotFoundError:
            return False

    def trim(self, output: Path) -> None:
        """Free the disk space of the middle of an output; its beginning and its end stay."""
        cap = self._settings.output_cap
        start = _aligned(min(_HEAD, cap // 4))
        end = _aligned(output.stat().st_size - cap // 2)
        if end > start:
            self._punch(output, start, end)

    def _punch(self, output: Path, start: int, end: int) -> None:
        file = os.open(output, os.O_RDWR | os.O_CLOEXEC)
        try:
            punch_hole(file, start, end - start)
        except OSError as error:
            # Not every file system supports holes; the limit on the size of files still holds.
            logger.warning("cannot trim %s, so outputs are not trimmed any more: %s", output, error)
            self._can_trim = False
        finally:
            os.close(file)


def _free_at(path: Path) -> int:
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free


def _aligned(offset: int) -> int:
    return offset // _BLOCK * _BLOCK
