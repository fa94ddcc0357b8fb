"""`search_files`: finds lines by a regular expression, and files by a glob."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wakeful.tools.arguments import whole_number_in
from wakeful.tools.base import OnlyReads, ToolContext, ToolResult, ToolSpec, Unusable
from wakeful.tools.commands.gate.ground import Ground, ground_of
from wakeful.tools.files.results import file_failure
from wakeful.tools.files.workspace import Folders, path_to_read, shown
from wakeful.tools.search.engines import find_ripgrep
from wakeful.tools.search.expressions import compiled, path_filter
from wakeful.tools.search.pattern import pattern_of
from wakeful.tools.search.query import SECONDS, Query
from wakeful.tools.search.running import FileSearch

_USUAL_LIMIT, _MOST = 200, 2_000
_MOST_CONTEXT = 20


class SearchFiles(OnlyReads):
    spec = ToolSpec(
        name="search_files",
        description=(
            "Search the files of the workspace. With pattern, a regular expression without look-around and "
            "back-references: the lines that match, as PATH:LINE:TEXT. Without pattern: the paths that match glob. "
            "What .gitignore and .ignore name is passed over, unless all is true."
        ),
        parameters={
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "A regular expression; a match lies within one line."},
                "glob": {
                    "type": "string",
                    "description": "Which files: *.py at any depth, or, with a slash, paths: src/**/*.{js,ts}.",
                },
                "path": {"type": "string", "description": "The folder or file to search; else the whole workspace."},
                "ignore_case": {"type": "boolean"},
                "context": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": _MOST_CONTEXT,
                    "description": "Lines to show before and after each match.",
                },
                "limit": {"type": "integer", "minimum": 1, "maximum": _MOST, "description": "The most matches: 200."},
                "all": {"type": "boolean", "description": "Search ignored files, too."},
            },
        },
    )

    def __init__(
        self, folders: Folders, ripgrep: Callable[[], str | None] = find_ripgrep, seconds: float = SECONDS
    ) -> None:
        self._folders = folders
        self._ripgrep = ripgrep
        self._seconds = seconds

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            search = await asyncio.to_thread(self._search, arguments, context)
        except (Unusable, OSError) as error:
            return file_failure(error, arguments)
        is_complete = await search.run(self._seconds)
        lines = search.findings.shown()
        if not is_complete:
            after = f"after {self._seconds:g} s or for lack of memory"
            lines.append(f"[Stopped {after}: there may be more. Narrow it by path or glob.]")
        return ToolResult("\n".join(lines) or "[No matches.]")

    def _search(self, arguments: Mapping[str, Any], context: ToolContext) -> FileSearch:
        pattern, glob = _text(arguments, "pattern"), _text(arguments, "glob").removeprefix("./").lstrip("/")
        if not pattern and not glob:
            raise Unusable("Give pattern, glob or both: there is nothing to search for")
        limit = whole_number_in(arguments, "limit", most=_MOST) or _USUAL_LIMIT
        path = path_to_read({"path": "."} | {**arguments}, context, self._folders)
        _require(path, arguments)
        start = path if path.is_dir() else path.parent
        query = Query(
            folder=str(start),
            start="." if path.is_dir() else f"./{path.name}",
            pattern=pattern_of(pattern, ignore_case=_flag(arguments, "ignore_case")) if pattern else None,
            context=whole_number_in(arguments, "context", 0, _MOST_CONTEXT) or 0,
            most=limit + 1,
            reads_ignored=_flag(arguments, "all"),
            glob=glob,
            prefix=_prefix(start, context.workspace),
            closed=_closed(start, ground_of(context.workspace, self._folders.home)),
        )
        if query.pattern is not None:
            # Both engines refuse the same patterns, in the same words.
            compiled(query.pattern.re2)
        return FileSearch(query, self._ripgrep(), limit, path_filter(glob, query.prefix))


def _require(path: Path, arguments: Mapping[str, Any]) -> None:
    if not path.exists():
        raise Unusable(f"{arguments['path']} was not found", "not_found")
    # ripgrep would wait for the other end of a pipe.
    if not path.is_dir() and not path.is_file():
        raise Unusable(f"{arguments['path']} is neither a file nor a folder", "not_a_file")


def _closed(folder: Path, ground: Ground) -> tuple[str, ...]:
    """Return the server's own folders below this one, relative to it."""
    return tuple(os.path.relpath(home, folder) for home in ground.homes if Path(home).is_relative_to(folder))


def _prefix(folder: Path, workspace: Path) -> str:
    name = shown(folder, workspace)
    return "" if name == "." else f"{name}/"


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name) or ""
    if not isinstance(value, str) or "\0" in value:
        raise Unusable(f"{name} must be a string")
    return value


def _flag(arguments: Mapping[str, Any], name: str) -> bool:
    value = arguments.get(name) or False
    if not isinstance(value, bool):
        raise Unusable(f"{name} must be true or false")
    return value
