"""Notices when files grow, through one inotify instance for all of them. Each file fires once and must then be armed
again: a file that is written to all the time cannot keep the event loop busy.
"""

import asyncio
import logging
import os
import struct
from pathlib import Path

from wakeful.tools.processes.kernel.libc import IN_MODIFY, IN_ONESHOT, open_inotify, unwatch_file, watch_file

_EVENT = struct.Struct("iIII")
_READ = 64 * 1024

logger = logging.getLogger(__name__)


class Changes:
    def __init__(self) -> None:
        self._inotify: int | None = None
        self._armed: dict[Path, tuple[int, asyncio.Event]] = {}
        self._paths: dict[int, Path] = {}

    def arm(self, path: Path) -> asyncio.Event:
        """Return an event that the next write to the file sets. Read the file after this call, not before."""
        self.disarm(path)
        changed = asyncio.Event()
        try:
            number = watch_file(self._opened(), path, IN_MODIFY | IN_ONESHOT)
        except OSError as error:
            # The output is still read when the process ends.
            logger.warning("cannot follow %s while it grows: %s", path, error)
            return changed
        self._armed[path] = number, changed
        self._paths[number] = path
        return changed

    def disarm(self, path: Path) -> None:
        if path not in self._armed or self._inotify is None:
            return
        number, _ = self._armed.pop(path)
        del self._paths[number]
        try:
            unwatch_file(self._inotify, number)
        except OSError:
            # The file was written to just now, and that has removed the one-shot watch.
            pass

    def close(self) -> None:
        if self._inotify is not None:
            asyncio.get_running_loop().remove_reader(self._inotify)
            os.close(self._inotify)
            self._inotify = None

    def _opened(self) -> int:
        if self._inotify is None:
            self._inotify = open_inotify()
            asyncio.get_running_loop().add_reader(self._inotify, self._on_events)
        return self._inotify

    def _on_events(self) -> None:
        assert self._inotify is not None
        data = os.read(self._inotify, _READ)
        position = 0
        while position < len(data):
            number, mask, _, length = _EVENT.unpack_from(data, position)
            position += _EVENT.size + length
            # The other kind of event, IN_IGNORED, only says that the number is free again.
            if mask & IN_MODIFY and (path := self._paths.pop(number, None)):
                _, changed = self._armed.pop(path)
                changed.set()
