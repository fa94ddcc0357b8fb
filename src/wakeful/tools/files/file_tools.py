"""The tools that read, list and write files of the workspace."""

import asyncio
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from wakeful.model.ids import new_id
from wakeful.model.told import MEMORY_LIMIT
from wakeful.tools.base import RESULT_LIMIT, Intent, OnlyReads, ToolContext, ToolResult, ToolSpec, Unusable
from wakeful.tools.files.diff import LOOKED_AT, is_text, preview_of
from wakeful.tools.files.edit_reasons import edit_reasons
from wakeful.tools.files.pictures import picture_at, picture_result
from wakeful.tools.files.results import file_failure, result_of
from wakeful.tools.files.workspace import (
    is_memory,
    path_in_workspace,
    path_to_read,
    path_to_write,
    readable,
    shown,
)

# Characters that are kept free for the note at the end of a cut result.
_MARK_ROOM = 100


class ReadFile(OnlyReads):
    spec = ToolSpec(
        name="read_file",
        description="Read a text file of the workspace, or look at a picture (PNG, JPEG, GIF, WebP). "
        "A long text is cut; go on with offset.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
                "offset": {"type": "integer", "minimum": 1, "description": "The first line to read, from 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "The most lines to read."},
            },
            "required": ["path"],
        },
    )

    def __init__(self, home: Path) -> None:
        """`home` is the server's own folder, which tools may not read."""
        self._home = home

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            return await asyncio.to_thread(_read, arguments, context, self._home)
        except (Unusable, OSError) as error:
            return file_failure(error, arguments)


class ListFiles(OnlyReads):
    spec = ToolSpec(
        name="list_files",
        description="List a directory of the workspace: directories end in a slash, files show their size.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the directory; the workspace itself if left out."}
            },
        },
    )

    def __init__(self, home: Path) -> None:
        self._home = home

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return await result_of(_list, arguments, context, self._home)


class WriteFile:
    spec = ToolSpec(
        name="write_file",
        description="Write a whole text file of the workspace; an existing file is replaced.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
                "content": {"type": "string", "description": "The new content of the file."},
            },
            "required": ["path", "content"],
        },
    )

    def __init__(self, home: Path) -> None:
        self._home = home

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        try:
            return await asyncio.to_thread(_intent, arguments, context, self._home)
        except (Unusable, OSError) as error:
            return file_failure(error, arguments)

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        return False

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return await result_of(_write, arguments, context, self._home)


def _read(arguments: Mapping[str, Any], context: ToolContext, home: Path) -> ToolResult:
    workspace = context.workspace
    path = path_to_read(arguments, context, home)
    first = _whole_number(arguments, "offset") or 1
    limit = _whole_number(arguments, "limit")
    _require_file(path, workspace)
    picture = picture_at(path)
    if picture is not None:
        return picture_result(path, picture, shown(path, workspace))
    _require_text(path, workspace)
    # Only LF ends a line and nothing is translated, so what is read can be written back unchanged.
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        if not all(_skip_line(file) for _ in range(first - 1)):
            return ToolResult(f"[The file ends before line {first}.]")
        return ToolResult(_excerpt(file, first, limit, _room(context)) or "[The file is empty.]")


def _skip_line(file: TextIO) -> bool:
    # In pieces: a line may be of any length.
    while piece := file.readline(RESULT_LIMIT):
        if piece.endswith("\n"):
            return True
    return False


def _room(context: ToolContext) -> int:
    """Return how many characters a result may have, without the note at its end."""
    return min(RESULT_LIMIT, context.result_limit) - _MARK_ROOM


def _excerpt(file: TextIO, first: int, limit: int | None, room: int) -> str:
    lines: list[str] = []
    while limit is None or len(lines) < limit:
        line = file.readline(room + 1)
        if len(line) > room:
            return _cut(lines, line[:room], first)
        if not line:
            return "".join(lines)
        lines.append(line)
        room -= len(line)
    more = f"[More lines follow; go on with offset {first + len(lines)}.]" if file.read(1) else ""
    return "".join(lines) + more


def _cut(lines: list[str], rest: str, first: int) -> str:
    number = first + len(lines)
    if lines:
        return "".join(lines) + f"[Cut, the result is full; go on with offset {number}.]"
    return f"{rest}\n[Cut in line {number}, which is too long for a result; go on with offset {number + 1}.]"


def _list(arguments: Mapping[str, Any], context: ToolContext, home: Path) -> str:
    path = path_in_workspace(arguments, context.workspace, home, default=".")
    with os.scandir(path) as entries:
        lines = [_entry(entry) for entry in sorted(entries, key=lambda entry: entry.name)]
    listing: list[str] = []
    room = _room(context)
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            listing.append(f"[Cut, the result is full; {len(lines) - len(listing)} more entries are not shown.]")
            break
        listing.append(line)
    return "\n".join(listing) or "[The directory is empty.]"


def _entry(entry: os.DirEntry[str]) -> str:
    name = readable(entry.name)
    try:
        return f"{name}/" if entry.is_dir() else f"{name}  {entry.stat().st_size} bytes"
    except OSError:
        # A dangling link, or a file that was just deleted.
        return f"{name}  unreadable"


def _intent(arguments: Mapping[str, Any], context: ToolContext, home: Path) -> Intent:
    path, data = _to_write(arguments, context, home)
    name = shown(path, context.workspace)
    reasons = edit_reasons(path, arguments["path"], context, home)
    return Intent(name, reasons, partial(preview_of, path, data, name))


def _to_write(arguments: Mapping[str, Any], context: ToolContext, home: Path) -> tuple[Path, bytes]:
    path = path_to_write(arguments, context, home)
    content = arguments.get("content")
    if not isinstance(content, str):
        raise Unusable("content must be a string")
    _require_file(path, context.workspace)
    data = content.encode(errors="replace")
    if is_memory(path, context) and len(data) > MEMORY_LIMIT:
        sentence = f"The memory may have {MEMORY_LIMIT:,} bytes, and this has {len(data):,}: shorten it"
        raise Unusable(sentence, "too_large")
    return path, data


def _write(arguments: Mapping[str, Any], context: ToolContext, home: Path) -> str:
    workspace = context.workspace
    path, data = _to_write(arguments, context, home)
    _make_directory(path.parent, workspace)
    _replace(path, data)
    return f"Wrote {len(data)} bytes to {shown(path, workspace)}."


def _make_directory(path: Path, workspace: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise Unusable(f"{shown(path, workspace)} is not a folder", "not_a_folder") from error


def _replace(path: Path, data: bytes) -> None:
    """Replace the file at once: a reader sees the old content or the new one, also after a crash."""
    temporary = path.with_name(f".{new_id('write')}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _require_file(path: Path, workspace: Path) -> None:
    # Reading a pipe or a device may block or never end.
    if path.exists() and not path.is_file():
        raise Unusable(f"{shown(path, workspace)} is not a file", "not_a_file")


def _require_text(path: Path, workspace: Path) -> None:
    with path.open("rb") as file:
        if not is_text(file.read(LOOKED_AT)):
            raise Unusable(f"{shown(path, workspace)} is not a text file", "binary")


def _whole_number(arguments: Mapping[str, Any], name: str) -> int | None:
    value = arguments.get(name)
    if value is None:
        return None
    # Models sometimes write numbers as text.
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Unusable(f"{name} must be a whole number from 1")
    return value
