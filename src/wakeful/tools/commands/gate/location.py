"""Where a command runs, and whether the paths that it names are outside of the workspace or belong to the system."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import islice

from wakeful.tools.commands.gate.ground import Ground, is_within

# Stands for a temporary folder that the command itself has made.
MADE_HERE = "/dev/null/made-here"
Directories = tuple[str | None, ...]

_MOST_OPERANDS = 500
_MOST_NAMED = 10
_LONGEST_PATH = 4_096
_MOST_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """A file or folder that a command names. The path is None if it cannot be known."""

    operand: str
    path: str | None

    @property
    def shown(self) -> str:
        """The words for a sentence, with a `*` at the end spelled out."""
        if self.path is None:
            return self.operand
        return f"everything in {self.folder}" if self.path.endswith("/*") else self.path

    @property
    def folder(self) -> str | None:
        return None if self.path is None else (self.path.removesuffix("/*") or "/")


@dataclass(frozen=True, slots=True)
class Location:
    ground: Ground
    # The command runs in one of these; None stands for a folder that cannot be known.
    directories: Directories
    # Caches: commands name the same paths again and again.
    _real_folders: dict[str, str] = field(default_factory=dict)
    _resolved: dict[tuple[str, Directories, bool], list[CommandTarget]] = field(default_factory=dict)

    def at(self, directories: Directories) -> "Location":
        if directories == self.directories:
            return self
        different = tuple(dict.fromkeys(directories))
        return replace(self, directories=different if len(different) <= _MOST_FOLDERS else (None,))

    def outside(self, operands: Iterable[str], *, spares_temporary: bool = False) -> Iterator[CommandTarget]:
        """Yield the targets outside of the workspace, ten at most. The workspace as a whole counts as outside, and so
        does a list of more operands than can be checked.
        """
        different = list(dict.fromkeys(operands))
        if len(different) > _MOST_OPERANDS:
            yield CommandTarget(f"{len(different):,} files and folders", None)
            return
        found = (target for operand in different for target in self.targets(operand) if self._is_outside(target))
        counting = (target for target in found if not (spares_temporary and self._is_temporary(target)))
        yield from islice(counting, _MOST_NAMED)

    def system(self, operands: Iterable[str]) -> Iterator[CommandTarget]:
        different = list(dict.fromkeys(operands))[:_MOST_OPERANDS]
        found = (target for operand in different for target in self.targets(operand) if self._is_system(target.path))
        yield from islice(found, _MOST_NAMED)

    def overwritten(self, operands: Iterable[str]) -> Iterator[CommandTarget]:
        """Yield the existing files outside of the workspace, whose contents would be lost."""
        for operand in list(dict.fromkeys(operands))[:_MOST_OPERANDS]:
            for target in self.targets(operand, follow=True):
                if target.path and self._is_outside(target) and self._is_lost(target.path):
                    yield target

    def targets(self, operand: str, *, follow: bool = False) -> list[CommandTarget]:
        """Return what the operand may name, seen from each folder. With `follow` a link stands for its target."""
        key = (operand, self.directories, follow)
        if key not in self._resolved:
            paths = dict.fromkeys(self._resolve(operand, directory, follow=follow) for directory in self.directories)
            self._resolved[key] = [CommandTarget(operand, path) for path in paths]
        return self._resolved[key]

    def _is_outside(self, target: CommandTarget) -> bool:
        path = target.path
        if path is None or not is_within(path, self.ground.workspace):
            return path is None or not path.startswith(MADE_HERE)
        precious = self.ground.own_precious
        return any(path == root or is_within(path, root) or is_within(root, path) for root in precious)

    def _is_lost(self, path: str) -> bool:
        """Return whether writing to the path destroys a file that is not temporary."""
        return not any(is_within(path, folder) for folder in self.ground.temporary) and _exists(path)

    def _is_temporary(self, target: CommandTarget) -> bool:
        path = target.path
        return path is not None and not path.endswith("/*") and any(is_within(path, t) for t in self.ground.temporary)

    def _is_system(self, path: str | None) -> bool:
        if path is None:
            return False
        roots = self.ground.own_system if is_within(path, self.ground.workspace) else self.ground.system
        return any(path == root or is_within(path, root) for root in roots)

    def _resolve(self, operand: str, directory: str | None, *, follow: bool = False) -> str | None:
        """Return None if the path cannot be known."""
        if len(operand) > _LONGEST_PATH or re.search(r"[$`\0]", operand):
            return None
        # In a shell ~+ is the folder that it is in.
        path = os.path.expanduser(re.sub(r"^~\+(?=/|$)", ".", operand))
        if re.match(r"~[^/]", path):
            return None
        if not path.startswith("/"):
            if directory is None:
                return None
            path = f"{directory}/{path}"
        steps = [step for step in path.split("/") if step not in ("", ".")]
        # A link names itself, not its target, unless a slash follows.
        if not steps or steps[-1] == ".." or follow or path.endswith("/"):
            return self._real(steps)
        return f"{self._real(steps[:-1]).rstrip('/')}/{steps[-1]}"

    def _real(self, steps: list[str]) -> str:
        folder = "/" + "/".join(steps)
        if folder not in self._real_folders:
            self._real_folders[folder] = _real_path(folder)
        return self._real_folders[folder]


def _real_path(folder: str) -> str:
    try:
        return os.path.realpath(folder)
    except OSError:
        # Such as /proc/1/root: where it leads is closed to the server.
        return os.path.normpath(folder)


def _exists(path: str) -> bool:
    """Return whether the file exists, or for a pattern, whether any entry matches its first part."""
    before, pattern = _first_pattern(path)
    if not pattern:
        return _is_file(path)
    try:
        with os.scandir(before) as entries:
            return any(fnmatchcase(entry.name, pattern) for entry in islice(entries, _MOST_OPERANDS))
    except OSError:
        return False


def _first_pattern(path: str) -> tuple[str, str]:
    """Return the folder before the first name with wildcards, and that name."""
    steps = path.split("/")
    position = next((index for index, step in enumerate(steps) if re.search(r"[*?\[]", step)), None)
    return (path, "") if position is None else ("/".join(steps[:position]) or "/", steps[position])


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False
