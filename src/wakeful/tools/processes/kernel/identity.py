"""Identifies a process by pid and start time: a pid alone may be reused."""

import os
from dataclasses import dataclass
from pathlib import Path

# A field of /proc/<pid>/stat, counted after the name, which is in parentheses and may contain anything.
_START_TIME = 19


@dataclass(frozen=True, slots=True)
class Identity:
    pid: int
    # In clock ticks since the machine started.
    start_time: int


def identity_from(stat: str) -> Identity:
    """Parse a line of /proc/<pid>/stat. Raises ValueError if it is not one."""
    pid, _, _ = stat.partition(" ")
    _, _, fields = stat.rpartition(")")
    values = fields.split()
    if len(values) <= _START_TIME:
        raise ValueError("not a line of /proc/<pid>/stat")
    return Identity(int(pid), int(values[_START_TIME]))


def identity_of(pid: int) -> Identity | None:
    """Return the process that has this pid now, also a zombie."""
    try:
        return identity_from(Path(f"/proc/{pid}/stat").read_text(errors="replace"))
    except (FileNotFoundError, ProcessLookupError):
        return None


def own_identity() -> Identity:
    identity = identity_of(os.getpid())
    assert identity is not None
    return identity
