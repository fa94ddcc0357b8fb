"""The settings of processes."""

from dataclasses import dataclass
from pathlib import Path

from wakeful.tools.processes.sandbox import Sandbox

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    # The parent of the folders of all processes.
    root: Path
    # Masked wherever an output is shown.
    secrets: frozenset[str] = frozenset()
    # Names of environment variables that commands get in addition to the allowlist.
    extra_environment: tuple[str, ...] = ()
    # Bytes on disk that an output may take; a running server trims what exceeds them.
    output_cap: int = 256 * MIB
    # With less disk space than this, nothing new is started.
    minimum_free: int = 512 * MIB
    # Disk space that the size limit for a command's files leaves free, as measured at its start.
    disk_reserve: int = 1024 * MIB
    # What is around every command; None: nothing.
    sandbox: Sandbox | None = None
    # Seconds between TERM and KILL.
    kill_grace: float = 2.0
    # The least seconds between two notices of a watch.
    watch_interval: float = 15.0
    # Seconds that a process may take to read what is written to it.
    stdin_patience: float = 5.0
