"""Files that people send: saved in the workspace of their session before the message is taken in."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wakeful.gateway.messaging.platform import Attachment, Refused

_LONGEST_NAME = 100
_FOLDER = "inbox"
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\]")


@dataclass(frozen=True, slots=True)
class Saved:
    # Lines for the agent, one for each file.
    lines: Sequence[str]
    # Sentences for the chat, one for each file that was left out.
    remarks: Sequence[str]


async def save_all(attachments: Sequence[Attachment], message_id: str, workspace: Path, most_bytes: int) -> Saved:
    """A message that is taken in a second time finds its own files, and writes over them."""
    lines, remarks = [], []
    taken: set[str] = set()
    for attachment in attachments:
        name = _free_name(f"{message_id}-{_safe_name(attachment.name)}", taken)
        taken.add(name)
        try:
            size = await _save(attachment, workspace / _FOLDER / name, most_bytes)
        except Refused as refusal:
            remarks.append(f"{attachment.name} could not be fetched and was left out: {refusal}")
            continue
        if size is None:
            remarks.append(_too_large(attachment, most_bytes))
        else:
            lines.append(f"[File: {_FOLDER}/{name}, {size} bytes]")
    return Saved(lines, remarks)


async def _save(attachment: Attachment, path: Path, most_bytes: int) -> int | None:
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


def _safe_name(name: str) -> str:
    safe = _UNSAFE.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" .") or "file"
    stem, dot, ending = safe.rpartition(".")
    if len(safe) <= _LONGEST_NAME:
        return safe
    return f"{stem[: _LONGEST_NAME - len(ending) - 1]}.{ending}" if dot and len(ending) < 20 else safe[:_LONGEST_NAME]


def _free_name(name: str, taken: set[str]) -> str:
    stem, dot, ending = name.rpartition(".")
    if not dot:
        stem, ending = name, ""
    number, free = 2, name
    while free in taken:
        free = f"{stem}-{number}{dot}{ending}"
        number += 1
    return free


def _too_large(attachment: Attachment, most_bytes: int) -> str:
    # A platform that has not said how large it is has sent more than fits.
    megabytes = f"over {_megabytes(most_bytes)}" if attachment.size is None else _megabytes(attachment.size)
    return f"{attachment.name} is too large ({megabytes} MB, at most {_megabytes(most_bytes)} MB) and was left out."


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.3g}"
