"""Where a command runs, and whether what it names lies outside of the workspace or belongs to the system."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

_SYSTEM = ("/etc", "/boot", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/sys", "/proc/sys", "/var/lib", "/var/spool")
# Nothing is deleted here unasked either, should the workspace be a folder above them or one of them.
_PRECIOUS = (*_SYSTEM, "/var", "/home", "/dev", "/proc")
_MOST_OPERANDS = 500


@dataclass(frozen=True, slots=True)
class Place:
    """Paths are texts here, without links and dots: a command may name thousands of them."""

    # None when the command has changed to one that cannot be told.
    directory: str | None
    workspace: str
    system: Sequence[str]
    # What is system or precious although it is in the workspace.
    own_system: Sequence[str]
    own_precious: Sequence[str]
    _real_folders: dict[str, str] = field(default_factory=dict)

    def moved(self, operand: str) -> "Place":
        return replace(self, directory=self._resolve(operand))

    def has_outside(self, operands: Iterable[str]) -> bool:
        """The workspace as a whole counts as outside too. Of very many operands it is taken for granted."""
        different = set(operands)
        return len(different) > _MOST_OPERANDS or any(map(self._is_outside, different))

    def has_system(self, operands: Iterable[str]) -> bool:
        different = set(operands)
        return len(different) > _MOST_OPERANDS or any(map(self._is_system, different))

    def _is_outside(self, operand: str) -> bool:
        path = self._resolve(operand)
        if path is None or not _is_within(path, self.workspace):
            return True
        return any(path == root or _is_within(path, root) or _is_within(root, path) for root in self.own_precious)

    def _is_system(self, operand: str) -> bool:
        path = self._resolve(operand)
        if path is None:
            return False
        roots = self.own_system if _is_within(path, self.workspace) else self.system
        return any(path == root or _is_within(path, root) for root in roots)

    def _resolve(self, operand: str) -> str | None:
        """None when it cannot be told."""
        if re.search(r"[$`\0]", operand) or re.match(r"~[^/]", operand):
            return None
        path = os.path.expanduser(operand)
        if not path.startswith("/"):
            if self.directory is None:
                return None
            path = f"{self.directory}/{path}"
        steps = [step for step in path.split("/") if step not in ("", ".")]
        if not steps or steps[-1] == "..":
            return self._real(steps)
        # What is named is the link, not what it leads to.
        return f"{self._real(steps[:-1]).rstrip('/')}/{steps[-1]}"

    def _real(self, steps: Sequence[str]) -> str:
        folder = "/" + "/".join(steps)
        if folder not in self._real_folders:
            self._real_folders[folder] = os.path.realpath(folder)
        return self._real_folders[folder]


def place_of(workdir: Path, workspace: Path) -> Place:
    home = Path.home()
    keys = (str(home / ".ssh"), str(home / ".gnupg"))
    homes = () if home.parent == Path("/") else (str(home.parent),)
    system, precious = (*_SYSTEM, *keys), (*_PRECIOUS, *keys, *homes)
    real = os.path.realpath(workspace)
    return Place(os.path.abspath(workdir), real, system, _belonging_to(real, system), _belonging_to(real, precious))


def _belonging_to(workspace: str, roots: Sequence[str]) -> Sequence[str]:
    """Those that the workspace is or contains. A workspace within one of them is a place to work in."""
    return [root for root in roots if root == workspace or _is_within(root, workspace)]


def _is_within(path: str, folder: str) -> bool:
    return path != folder and path.startswith("/" if folder == "/" else f"{folder}/")
