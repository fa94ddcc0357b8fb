"""Finds out whether a process descends from a command of this server, however far down.

Commands and the shells around them carry a mark in their environment. The mark names the folder of this server's
processes, so a server that runs inside a command of another server ignores that one's mark. A process that has left its
session and its parents and has cleared its environment is not recognised.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "INSIDE_AGENT_OF"

# Fields of /proc/<pid>/stat, counted after the name.
_PARENT, _SESSION, _TERMINAL = 1, 3, 4
# Besides pid 1, this process adopts orphans.
_REAPER = "systemd"


@dataclass(frozen=True, slots=True)
class _Kin:
    """A process with its parent and session."""

    pid: int
    name: str
    parent: int
    # The pid of its session's leader.
    session: int
    has_terminal: bool


class Descent:
    def __init__(self, root: Path, proc: Path = Path("/proc")) -> None:
        """`root` is the parent of the folders of this server's processes."""
        self._mark = os.fsencode(f"{MARK}={root}")
        self._proc = proc

    def is_command(self, pid: int) -> bool:
        """Return whether the process descends from a command of this server. A process that is gone or invisible, or
        that is an orphan and hides its environment, counts as one: it cannot be trusted.
        """
        if pid == os.getpid():
            return False
        lineage = list(self._lineage(pid))
        if not lineage or (_is_stray(lineage) and self._environment(pid) is None):
            return True
        around = {related for kin in lineage for related in (kin.pid, kin.parent, kin.session)}
        # The server has no children but commands.
        return os.getpid() in around or any(self._mark in (self._environment(each) or ()) for each in around)

    def _environment(self, pid: int) -> list[bytes] | None:
        """Return None if it cannot be read: the process is gone, belongs to another user, or hides its memory."""
        try:
            return (self._proc / str(pid) / "environ").read_bytes().split(b"\0")
        except OSError:
            return None

    def _lineage(self, pid: int) -> Iterator[_Kin]:
        """Yield the process and its ancestors, or nothing if the process does not exist."""
        seen: set[int] = set()
        while pid > 0 and pid not in seen and (kin := self._kin_of(pid)) is not None:
            seen.add(pid)
            yield kin
            pid = kin.parent

    def _kin_of(self, pid: int) -> _Kin | None:
        try:
            stat = (self._proc / str(pid) / "stat").read_text(errors="replace")
        except OSError:
            return None
        # The name is in parentheses and may contain anything.
        head, _, behind = stat.rpartition(")")
        fields = behind.split()
        name = head.partition("(")[2]
        return _Kin(pid, name, int(fields[_PARENT]), int(fields[_SESSION]), fields[_TERMINAL] != "0")


def _is_stray(lineage: list[_Kin]) -> bool:
    """Return whether a process is an orphan that leads a session without a terminal."""
    kin, *above = lineage
    is_alone = kin.session == kin.pid and not kin.has_terminal
    return is_alone and (kin.parent == 1 or any(parent.name == _REAPER for parent in above[:1]))
