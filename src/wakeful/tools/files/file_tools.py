"""The tools that read and list files of the workspace."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from wakeful.model.files.file_type import TEXT_BYTES, TYPE_BYTES, is_binary, picture_in
from wakeful.opened_files import open_file, scanned_folder
from wakeful.tools.arguments import whole_number_in
from wakeful.tools.base import RESULT_LIMIT, OnlyReads, ToolContext, ToolResult, ToolSpec, Unusable
from wakeful.tools.files.pictures import picture_result
from wakeful.tools.files.results import result_of
from wakeful.tools.files.workspace import Folders, path_in_workspace, path_to_read, readable, shown

# Characters that are kept free for the note at the end of a cut result.
_MARK_ROOM = 100
# The most levels of directories in one listing.
_DEEPEST = 5
_BLOCK = 1024 * 1024


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

    def __init__(self, folders: Folders) -> None:
        self._folders = folders

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return await result_of(_read, arguments, context, self._folders)


class ListFiles(OnlyReads):
    spec = ToolSpec(
        name="list_files",
        description="List a directory of the workspace: directories end in a slash, files show their size.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the directory; the workspace itself if left out."},
                "depth": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": _DEEPEST,
                    "description": "How many levels of directories to list; 1 if left out.",
                },
            },
        },
    )

    def __init__(self, folders: Folders) -> None:
        self._folders = folders

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return await result_of(_list, arguments, context, self._folders)


def _read(arguments: Mapping[str, Any], context: ToolContext, folders: Folders) -> str | ToolResult:
    path = path_to_read(arguments, context, folders)
    name = shown(path, context.workspace)
    first = whole_number_in(arguments, "offset") or 1
    limit = whole_number_in(arguments, "limit")
    with open_file(path) as file:
        picture = picture_in(file.read(TYPE_BYTES))
        if picture is not None:
            return picture_result(file, picture, name)
        file.seek(0)
        if is_binary(file.read(TEXT_BYTES)):
            raise Unusable(f"{name} is not a text file", "binary")
        return _lines(file, name, first, limit, _room(context))


def _lines(file: BinaryIO, name: str, first: int, limit: int | None, room: int) -> str:
    """Only LF ends a line and nothing is translated, so what is read can be written back unchanged."""
    file.seek(0)
    is_there = _skip_lines(file, first - 1)
    try:
        with TextIOWrapper(file, encoding="utf-8", newline="\n") as text:
            excerpt = _excerpt(text, first, limit, room) if is_there else ""
    except UnicodeDecodeError as error:
        raise Unusable(f"{name} is not text in UTF-8", "binary") from error
    return excerpt or ("[The file is empty.]" if first == 1 else f"[The file ends before line {first}.]")


def _skip_lines(file: BinaryIO, count: int) -> bool:
    """Go to the line after so many; return whether there are as many. Large files are counted in blocks, as bytes:
    reading them line by line takes half a minute for a GiB.
    """
    while count:
        block = file.read(_BLOCK)
        if not block:
            return False
        breaks = block.count(b"\n")
        if breaks >= count:
            file.seek(-len(block.split(b"\n", count)[-1]), os.SEEK_CUR)
        count -= min(breaks, count)
    return True


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


def _list(arguments: Mapping[str, Any], context: ToolContext, folders: Folders) -> str:
    path = path_in_workspace(arguments, context.workspace, folders, default=".")
    depth = whole_number_in(arguments, "depth", most=_DEEPEST) or 1
    listing: list[str] = []
    room = _room(context)
    lines = _entries(path, "", depth)
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            more = 1 + sum(1 for _ in lines)
            listing.append(f"[Cut, the result is full; {more} more entries are not shown.]")
            break
        listing.append(line)
    return "\n".join(listing) or "[The directory is empty.]"


def _entries(folder: Path, prefix: str, depth: int) -> Iterator[str]:
    """Yield the entries of a folder, each followed by those below it. Links to folders are not followed."""
    with scanned_folder(folder) as found:
        entries = [(entry, _entry(entry)) for entry in sorted(found, key=lambda entry: entry.name)]
    for entry, line in entries:
        yield prefix + line
        if depth > 1 and entry.is_dir(follow_symlinks=False):
            with suppress(PermissionError, FileNotFoundError, NotADirectoryError):
                yield from _entries(folder / entry.name, f"{prefix}{readable(entry.name)}/", depth - 1)


def _entry(entry: os.DirEntry[str]) -> str:
    name = readable(entry.name)
    try:
        return f"{name}/" if entry.is_dir() else f"{name}  {entry.stat().st_size} bytes"
    except OSError:
        # A dangling link, or a file that was just deleted.
        return f"{name}  unreadable"
