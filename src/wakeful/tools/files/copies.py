"""Keeps what stood in files before agents changed them, in a folder of the server's own, and puts it back."""

import asyncio
import os
import shutil
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

from wakeful.model.journal.change import KeptChange, TakenBack
from wakeful.tools.files.replacing import ABSENT, mark_of, remove_file, replace_file, sync_folder
from wakeful.under_way import in_thread_to_its_end

# Larger files are not kept.
LARGEST_KEPT = 20 * 1024 * 1024

RESTORED, DELETED = TakenBack("restored"), TakenBack("deleted")
CHANGED_SINCE, NOT_KEPT = TakenBack(reason="changed_since"), TakenBack(reason="not_kept")
UNWRITABLE = TakenBack(reason="unwritable", may_be_tried_again=True)


class FileCopies:
    def __init__(self, home: Path) -> None:
        # Its links followed once: files in it are opened without following any.
        self._root = home.resolve() / "changes"
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock_of(self, path: str) -> asyncio.Lock:
        """Return the lock under which this server changes a file."""
        return self._locks.setdefault(path, asyncio.Lock())

    def keep(self, change: KeptChange, content: bytes) -> None:
        """Keep what stands in a file. When this returns it is on the disk."""
        copy = self._copy_of(change)
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(copy, content)
        sync_folder(self._root)

    def content_before(self, change: KeptChange) -> bytes | None:
        """Return what stood in the file; None if nothing did, or if it was not kept."""
        try:
            return self._copy_of(change).read_bytes()
        except FileNotFoundError:
            return None

    async def take_back(self, change: KeptChange, *, force: bool) -> TakenBack:
        """Put back what stood in the file, unless it is not as the change left it. Doing so twice does no harm: a crash
        may come before it is recorded.
        """
        async with self.lock_of(change.path):
            return await in_thread_to_its_end(partial(self._take_back, change, force=force))

    async def drop(self, change: KeptChange) -> None:
        await asyncio.to_thread(self._copy_of(change).unlink, missing_ok=True)

    async def forget(self, session_id: str) -> None:
        """Remove the copies of a session."""
        await asyncio.to_thread(shutil.rmtree, self._root / session_id, ignore_errors=True)

    def _take_back(self, change: KeptChange, *, force: bool) -> TakenBack:
        path = Path(change.path)
        try:
            if os.path.realpath(path) != change.path or (path.exists() and not path.is_file()):
                return CHANGED_SINCE
            standing = mark_of(path)
            if standing == change.before:
                return DELETED if change.before == ABSENT else RESTORED
            if standing != change.after and not force:
                return CHANGED_SINCE
            return self._put_back(change, path)
        except OSError:
            return UNWRITABLE

    def _put_back(self, change: KeptChange, path: Path) -> TakenBack:
        if change.before == ABSENT:
            remove_file(path)
            return DELETED
        content = self.content_before(change)
        if content is None:
            return NOT_KEPT
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
        return RESTORED

    def _copy_of(self, change: KeptChange) -> Path:
        return self._root / change.session_id / change.key
