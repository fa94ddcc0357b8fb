"""Whose process is this: whether it stems from a command of ours, however far down.

A command bears a mark in its environment, and so does the shell around it. The mark names the folder of our processes:
a server that itself runs inside of a command of another one is not confused by that one's mark. What has left its
session and its parents, and has wiped its environment too, is not recognised.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "INSIDE_AGENT_OF"

# Fields of /proc/<pid>/stat, counted behind the name.
_PARENT, _SESSION, _TERMINAL = 1, 3, 4
# Who takes in processes whose parents are gone, beside the first process of all.
_REAPER = "systemd"


@dataclass(frozen=True, slots=True)
class _Kin:
    """A process, and those around it."""

    pid: int
    name: str
    parent: int
    # The leader of its session.
    session: int
    has_terminal: bool


class Descent:
    def __init__(self, root: Path) -> None:
        """`root` is where each of our processes has its folder."""
        self._mark = os.fsencode(f"{MARK}={root}")

    def is_command(self, pid: int) -> bool:
        """Whether it stems from one of our commands. One that is gone or out of sight, or that has closed itself and
        belongs to nobody, counts as such: nothing speaks for it.
        """
        if pid == os.getpid():
            return False
        lineage = list(_lineage(pid))
        if not lineage or (_is_stray(lineage) and self._environment(pid) is None):
            return True
        around = {related for kin in lineage for related in (kin.pid, kin.parent, kin.session)}
        # We have no children but commands.
        return os.getpid() in around or any(self._mark in (self._environment(each) or ()) for each in around)

    def _environment(self, pid: int) -> list[bytes] | None:
        """None when it cannot be read: it is gone meanwhile, another user's, or has closed itself."""
        try:
            return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return None


def _is_stray(lineage: list[_Kin]) -> bool:
    """Whether a process leads a session without a terminal, and has nobody as its parent."""
    kin, *above = lineage
    is_alone = kin.session == kin.pid and not kin.has_terminal
    return is_alone and (kin.parent == 1 or any(parent.name == _REAPER for parent in above[:1]))


def _lineage(pid: int) -> Iterator[_Kin]:
    """The process and its ancestors; nothing when there is no such process."""
    seen: set[int] = set()
    while pid > 0 and pid not in seen and (kin := _kin_of(pid)) is not None:
        seen.add(pid)
        yield kin
        pid = kin.parent


def _kin_of(pid: int) -> _Kin | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The name is in parentheses and may contain anything.
    head, _, behind = stat.rpartition(")")
    fields = behind.split()
    name = head.partition("(")[2]
    return _Kin(pid, name, int(fields[_PARENT]), int(fields[_SESSION]), fields[_TERMINAL] != "0")
