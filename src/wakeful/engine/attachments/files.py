"""The bytes of attachments on this machine, as files of the server's own folder.

`all/ID` is the file itself. A session's folder has copies of those that its messages name, under a name that a person
would recognise; that folder is open to the session's tools.
"""

import math
import os
import shutil
import time
from pathlib import Path

from wakeful.model.files.attachment import Attachment, attachments_folder
from wakeful.model.ids import new_id

_ALL = "all"
# A file without a row that is older than this was left by a crash.
_LEFT_SECONDS = 3600.0


class AttachmentFiles:
    def __init__(self, home: Path) -> None:
        self._root = home / "attachments"

    def file_of(self, attachment_id: str) -> Path:
        return self._root / _ALL / attachment_id

    def part_of(self, attachment_id: str) -> Path:
        """Return where a file is written before it is whole."""
        path = self.file_of(attachment_id)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path.with_name(f"{path.name}.{new_id('part')}")

    def copy_for(self, session_id: str, attachment: Attachment) -> Path:
        """Return the copy in the session's folder, and make it if it is not there."""
        path = attachments_folder(self._root.parent, session_id) / f"{attachment.id}-{attachment.name}"
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Not a hard link: a tool that writes to it must not change what the user has sent.
            part = path.with_name(f".{new_id('part')}")
            shutil.copyfile(self.file_of(attachment.id), part)
            part.replace(path)
        return path

    def remove(self, attachment_ids: list[str]) -> None:
        for attachment_id in attachment_ids:
            self.file_of(attachment_id).unlink(missing_ok=True)

    def remove_folder(self, session_id: str) -> None:
        shutil.rmtree(attachments_folder(self._root.parent, session_id), ignore_errors=True)

    def sessions(self) -> list[str]:
        """Return the sessions that have a folder here."""
        return [entry.name for entry in _entries(self._root) if entry.name != _ALL]

    def idle_files(self) -> list[str]:
        """Return the ids of files that nothing has written to for a while."""
        before = time.time() - _LEFT_SECONDS
        return [entry.name for entry in _entries(self._root / _ALL) if _written_at(entry) < before]


def _written_at(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:
        # Its upload has just become whole, and has another name.
        return math.inf


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
