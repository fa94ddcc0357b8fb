"""A file that belongs to a message, or a picture that a tool has shown to the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# How a message names a picture that is kept as an attachment, in place of its bytes.
SCHEME = "attachment:"
# The largest picture that models take.
PICTURE_BYTES = 5 * 1024 * 1024

_LONGEST_NAME = 100
# Of a longer one, the name is cut at its end.
_LONGEST_ENDING = 20
# A file system counts bytes: 255 at most, and what is added to the name needs some.
_MOST_NAME_BYTES = 180


@dataclass(frozen=True, slots=True)
class Attachment:
    id: str
    name: str
    # From the bytes, see model/files/file_type.py.
    type: str
    size: int
    owner: str = field(default="", compare=False)
    # Empty: it was uploaded for a session that does not exist yet.
    session_id: str = field(default="", compare=False)
    created_at: float = field(default=0.0, compare=False)

    @property
    def is_picture(self) -> bool:
        return self.type.startswith("image/")

    @property
    def is_text(self) -> bool:
        return self.type.startswith("text/")

    @property
    def fields(self) -> dict[str, Any]:
        """What the journal keeps of it."""
        return {"id": self.id, "name": self.name, "type": self.type, "size": self.size}

    @property
    def shown(self) -> dict[str, Any]:
        """What clients get of it."""
        return shown_fields(self.fields)


def shown_fields(recorded: Mapping[str, Any]) -> dict[str, Any]:
    return {**recorded, "url": f"/api/attachments/{recorded['id']}"}


def attachments_folder(home: Path, session_id: str) -> Path:
    """Return the folder in which a session's tools find its attachments."""
    return home / "attachments" / session_id


def safe_name(name: str) -> str:
    """Return the name without a path and without invisible characters, such as those that reverse the text."""
    last = name.replace("\\", "/").rpartition("/")[2]
    safe = "".join(sign if sign.isprintable() else "_" for sign in last).strip(" .") or "file"
    if _is_short(safe):
        return safe
    stem, dot, ending = safe.rpartition(".")
    if not dot or len(ending) >= _LONGEST_ENDING:
        stem, ending = safe, ""
    while not _is_short(f"{stem}{dot}{ending}" if ending else stem):
        stem = stem[:-1]
    return f"{stem}{dot}{ending}" if ending else stem


def _is_short(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and len(name.encode(errors="replace")) <= _MOST_NAME_BYTES
