"""What can be set about processes."""

from dataclasses import dataclass
from pathlib import Path

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    # Each process has a folder here.
    root: Path
    # What must not be shown when an output contains it.
    secrets: frozenset[str] = frozenset()
    # Names of environment variables that commands get, beside those that every command gets.
    extra_environment: tuple[str, ...] = ()
    # How much disk one output may take while the server is there to look.
    output_cap: int = 256 * MIB
    # With less room than this nothing new is started.
    minimum_free: int = 512 * MIB
    # What the largest file of a command must leave free, as far as can be told when it starts.
    disk_reserve: int = 1024 * MIB
    # Between TERM and KILL.
    kill_grace: float = 2.0
    # A watch tells of one match in this time.
    watch_interval: float = 15.0
    # How long a process may take to read what is written to it.
    stdin_patience: float = 5.0
