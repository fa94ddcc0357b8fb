"""Whose process is this: whether it stems from a command of ours, however far down.

A command bears a mark in its environment, and so does the shell around it. The mark names the folder of our processes:
a server that itself runs inside of a command of another one is not confused by that one's mark. What has left its
session and its parents, and has wiped its environment too, is not recognised.
"""

import os
from collections.abc import Iterator
from pathlib import Path

MARK = "INSIDE_WAKEFUL"

# Fields of /proc/<pid>/stat, counted behind the name.
_PARENT, _SESSION = 1, 3


class Descent:
    def __init__(self, root: Path) -> None:
        """`root` is where each of our processes has its folder."""
        self._mark = os.fsencode(f"{MARK}={root}")

    def is_command(self, pid: int) -> bool:
        """Whether it stems from one of our commands. One that is gone, or in no sight of ours, counts as such: then
        nothing speaks for it.
        """
        if pid == os.getpid():
            return False
        lineage = list(_lineage(pid))
        # We have no children but commands.
        return not lineage or os.getpid() in lineage or any(map(self._is_marked, lineage))

    def _is_marked(self, pid: int) -> bool:
        try:
            return self._mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            # Gone meanwhile, another user's, or closed on purpose; those around it are looked at too.
            return False


def _lineage(pid: int) -> Iterator[int]:
    """The process, its ancestors, and the leaders of their sessions; nothing when there is no such process."""
    seen: set[int] = set()
    while pid > 1 and pid not in seen and (related := _relatives(pid)) is not None:
        parent, session = related
        seen.add(pid)
        yield pid
        yield session
        pid = parent
    if pid == 1 and seen:
        yield 1


def _relatives(pid: int) -> tuple[int, int] | None:
    """The parent and the leader of the session."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return int(fields[_PARENT]), int(fields[_SESSION])
