"""Resolves paths that the model names: relative to the workspace, never outside of it or in the server's own folder."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wakeful.tools.base import ToolContext, Unusable
from wakeful.tools.commands.gate.ground import ground_of, open_folders


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders that are the same for all calls."""

    # The server's own, which tools may not touch.
    home: Path
    # Those that are read and written like the workspace.
    extra: tuple[Path, ...] = ()


def path_to_read(arguments: Mapping[str, Any], context: ToolContext, folders: Folders) -> Path:
    """Return the path that the call names: in the workspace, or among what is open to the session in the server's own
    folder. Raises Unusable.
    """
    prompt = context.turn.system_prompt
    memory = (prompt.memory,) if prompt.memory else ()
    opened = (*open_folders(folders.home, context.session_id), *prompt.skills, *memory)
    path = _named(arguments, context.workspace)
    if path is not None and any(path.is_relative_to(Path(root).resolve()) for root in opened):
        return path
    return path_in_workspace(arguments, context.workspace, folders)


def path_to_write(arguments: Mapping[str, Any], context: ToolContext, folders: Folders) -> Path:
    """Return the path that the call names: in the workspace, or the memory. Raises Unusable."""
    path = _named(arguments, context.workspace)
    if path is not None and is_memory(path, context):
        return path
    return path_in_workspace(arguments, context.workspace, folders)


def is_memory(path: Path, context: ToolContext) -> bool:
    memory = context.turn.system_prompt.memory
    return bool(memory) and path == Path(memory).resolve()


def path_in_workspace(
    arguments: Mapping[str, Any], workspace: Path, folders: Folders, *, default: str | None = None
) -> Path:
    """Return the path that the call names, links followed. Raises Unusable."""
    named = arguments.get("path", default)
    if not isinstance(named, str) or not named.strip() or "\0" in named:
        raise Unusable("path must be the path of a file or folder in the workspace")
    root = workspace.resolve()
    path = _resolved(root / named)
    if path is None:
        raise Unusable(f"{named} is a link that leads in a circle", "not_found")
    if not any(path.is_relative_to(folder) for folder in (root, *(extra.resolve() for extra in folders.extra))):
        raise Unusable(f"{named} is outside of the workspace", "outside")
    if ground_of(workspace, folders.home).is_home(str(path)):
        raise Unusable(f"{named} belongs to the server itself, and tools may not touch it", "outside")
    return path


def _named(arguments: Mapping[str, Any], workspace: Path) -> Path | None:
    """Return the path that the call names, links followed, wherever it lies; None if it names none."""
    named = arguments.get("path")
    return _resolved(workspace / named) if isinstance(named, str) and named.strip() and "\0" not in named else None


def _resolved(path: Path) -> Path | None:
    """Return the path with its links followed, or None if they lead in a circle."""
    try:
        path = path.resolve()
    except RuntimeError:
        # Python before 3.13 raises; later versions return the link itself.
        return None
    return None if path.is_symlink() else path


def shown(path: Path, workspace: Path) -> str:
    """Return a path inside the workspace as the model names it; any other path as it is."""
    root = workspace.resolve()
    return readable((path.relative_to(root) if path.is_relative_to(root) else path).as_posix())


def readable(name: str) -> str:
    """Return a file name as text that can be stored: names are bytes, and not all of them are UTF-8."""
    return os.fsencode(name).decode(errors="replace")
