"""Files that people send: saved in the workspace of their session before the message is taken in."""

import asyncio
import errno
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wakeful.gateway.messaging.platform import OfferedFile, Refused
from wakeful.model.files.attachment import safe_name
from wakeful.model.files.file_type import TYPE_BYTES, picture_in

_FOLDER = "inbox"
# What the system says when a file cannot be written and will not be later: the agent may have put something there.
_UNWRITABLE = frozenset(
    {errno.EACCES, errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.ENOTDIR, errno.EPERM, errno.EROFS}
)


@dataclass(frozen=True, slots=True)
class Saved:
    # Lines for the agent, one for each file.
    lines: Sequence[str]
    # Sentences for the chat, one for each file that was left out.
    remarks: Sequence[str]
    # The files that are pictures, which the model also sees.
    pictures: Sequence[Path] = ()


async def save_all(attachments: Sequence[OfferedFile], message_id: str, workspace: Path, most_bytes: int) -> Saved:
    """A message that is taken in a second time finds its own files, and writes over them."""
    lines, remarks, pictures = [], [], []
    taken: set[str] = set()
    for attachment in attachments:
        given = safe_name(attachment.name)
        name = _free_name(f"{message_id}-{given}", taken)
        taken.add(name)
        try:
            size = await _save(attachment, workspace / _FOLDER / name, most_bytes)
        except Refused as refusal:
            remarks.append(f"{given} could not be fetched and was left out: {refusal}")
            continue
        except OSError as error:
            if error.errno not in _UNWRITABLE:
                raise
            remarks.append(f"{given} could not be saved and was left out: {error.strerror}.")
            continue
        if size is None:
            remarks.append(_too_large(given, attachment.size, most_bytes))
        else:
            lines.append(f"[File: {_FOLDER}/{name}, {size} bytes]")
            if await asyncio.to_thread(_is_picture, workspace / _FOLDER / name):
                pictures.append(workspace / _FOLDER / name)
    return Saved(lines, remarks, pictures)


async def _save(attachment: OfferedFile, path: Path, most_bytes: int) -> int | None:
    """Return the number of bytes, or None when there are too many: the platform may not have said so before."""
    if attachment.size is not None and attachment.size > most_bytes:
        return None
    await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    size = 0
    file = await asyncio.to_thread(unfinished.open, "wb")
    try:
        async for piece in attachment.read():
            size += len(piece)
            if size > most_bytes:
                return None
            await asyncio.to_thread(file.write, piece)
        await asyncio.to_thread(file.close)
        await asyncio.to_thread(unfinished.replace, path)
    finally:
        file.close()
        unfinished.unlink(missing_ok=True)
    return size


def _is_picture(path: Path) -> bool:
    with path.open("rb") as file:
        return picture_in(file.read(TYPE_BYTES)) is not None


def _free_name(name: str, taken: set[str]) -> str:
    stem, dot, ending = name.rpartition(".")
    if not dot:
        stem, ending = name, ""
    number, free = 2, name
    while free in taken:
        free = f"{stem}-{number}{dot}{ending}"
        number += 1
    return free


def _too_large(name: str, size: int | None, most_bytes: int) -> str:
    # A platform that has not said how large it is has sent more than fits.
    megabytes = f"over {_megabytes(most_bytes)}" if size is None else _megabytes(size)
    return f"{name} is too large ({megabytes} MB, at most {_megabytes(most_bytes)} MB) and was left out."


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.3g}"
