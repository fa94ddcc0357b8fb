"""The folders that stay the same while a command is read: the workspace, the system's and the server's own."""

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wakeful.model.files.attachment import attachments_folder

_SYSTEM = ("/etc", "/boot", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/sys", "/proc/sys", "/var/lib", "/var/spool")
# Deleting in these needs an answer even if the workspace contains them or is one of them.
_PRECIOUS = (*_SYSTEM, "/var", "/home", "/dev", "/proc")
# Folders for short-lived files.
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")
# The workspace of a command that runs on another machine: no path is within it.
_NOWHERE = "/dev/null/nowhere"


@dataclass(frozen=True)
class Ground:
    """Paths are plain strings here, with links and dots resolved: a command may name thousands of them."""

    workspace: str
    # The server's folders by every name that they have, and the parts of them that are open to commands.
    homes: Sequence[str]
    open_homes: Sequence[str]

    @cached_property
    def system(self) -> Sequence[str]:
        return (*_SYSTEM, *_keys())

    @cached_property
    def own_system(self) -> Sequence[str]:
        """The system folders that the workspace is or contains."""
        return _belonging_to(self.workspace, self.system)

    @cached_property
    def own_precious(self) -> Sequence[str]:
        home = Path.home()
        homes = () if home.parent == Path("/") else (str(home.parent),)
        return _belonging_to(self.workspace, (*_PRECIOUS, *_keys(), *homes))

    @cached_property
    def temporary(self) -> Sequence[str]:
        return (*_TEMPORARY, os.path.realpath(tempfile.gettempdir()))

    @property
    def elsewhere(self) -> "Ground":
        """The ground of a command that runs on another machine."""
        return Ground(_NOWHERE, self.homes, self.open_homes)

    def is_home(self, path: str) -> bool:
        """Return whether the path is in the server's folder, without the parts of it that are open."""
        return _is_in(path, self.homes) and not _is_in(path, self.open_homes)

    def is_above_home(self, path: str) -> bool:
        return any(is_within(home, path) for home in self.homes)

    @cached_property
    def home_names(self) -> re.Pattern[str]:
        """Matches the server's folder, variable or process within a longer text."""
        roots = "|".join(f"{re.escape(home)}{self._open_below(home)}(?![\\w.-])" for home in self.homes)
        variable = r"\$\{?WAKEFUL_HOME\b|(?:environ|getenv|env)\W{1,5}WAKEFUL_HOME\b"
        usual = rf"(?:~|\$HOME|\$\{{HOME\}})/\.wakeful{self._open_below('')}(?![\w.-])"
        return re.compile(f"{roots}|{usual}|{variable}|/proc/{os.getpid()}(?!\\d)")

    def _open_below(self, home: str) -> str:
        names = {"workspace"} | {path[len(home) + 1 :] for path in self.open_homes if home and is_within(path, home)}
        return f"(?!/(?:{'|'.join(map(re.escape, names))})(?![\\w.-]))"


def ground_of(workspace: Path, home: Path, opened: Sequence[Path] = ()) -> Ground:
    """`opened` are folders inside the server's own that the command may use."""
    real, homes = os.path.realpath(workspace), _names_of(home)
    open_homes = [f"{path}/workspace" for path in homes]
    if any(is_within(real, path) for path in homes) and is_open_workspace(workspace, home):
        open_homes += [real, os.path.abspath(workspace)]
    open_homes += [path for folder in opened for path in (os.path.abspath(folder), os.path.realpath(folder))]
    return Ground(real, homes, open_homes)


def is_open_workspace(workspace: Path, home: Path) -> bool:
    """Return whether a workspace may be used although it lies in the server's folder. One that a link leads to may not,
    except among the workspaces: a command may have put a link to the key in its place.
    """
    named, real, homes = os.path.abspath(workspace), os.path.realpath(workspace), _names_of(home)
    if not _is_in(real, homes) or _is_in(real, [f"{path}/workspace" for path in homes]):
        return True
    return any(is_within(named, path) and real == os.path.realpath(path) + named[len(path) :] for path in homes)


def _names_of(home: Path) -> list[str]:
    """Return the server's folder and the usual one, by every name that they have."""
    names = (str(home), os.path.expanduser("~/.wakeful"))
    return sorted({path for name in names for path in (os.path.abspath(name), os.path.realpath(name))})


def results_folder(home: Path, session_id: str) -> Path:
    """Return the folder of a session's long results. It lies in the server's own folder, and is open to the
    session's own calls.
    """
    return home / "results" / session_id


def open_folders(home: Path, session_id: str) -> tuple[Path, ...]:
    """Return the folders inside the server's own that calls of this session may use, besides its workspace."""
    return results_folder(home, session_id), attachments_folder(home, session_id)


def is_within(path: str, folder: str) -> bool:
    return path != folder and path.startswith("/" if folder == "/" else f"{folder}/")


def _is_in(path: str, roots: Sequence[str]) -> bool:
    return any(path == root or is_within(path, root) for root in roots)


def _keys() -> tuple[str, str]:
    home = Path.home()
    return str(home / ".ssh"), str(home / ".gnupg")


def _belonging_to(workspace: str, roots: Sequence[str]) -> Sequence[str]:
    """Return the roots that the workspace is or contains. A workspace inside a root is free to work in."""
    return [root for root in roots if root == workspace or is_within(root, workspace)]
