"""Starts processes: folder, environment, limits, terminal, wrapper."""

import errno
import fcntl
import os
import shutil
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wakeful.tools.processes.environment import command_environment
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.kernel.descent import MARK
from wakeful.tools.processes.kernel.grip import Grip, grip_on_pid
from wakeful.tools.processes.output.guard import OutputGuard
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.processes.wrapper import wrapper_arguments

_ROWS, _COLUMNS = 40, 120
# As a shell says that something cannot be run, or is not there.
CANNOT_RUN, NOT_FOUND = 126, 127


class Spawner:
    def __init__(self, settings: ProcessSettings, guard: OutputGuard, environment: Mapping[str, str]) -> None:
        """`environment` is the server's own; commands get what is harmless of it."""
        self._guard = guard
        passed_on = command_environment(environment, extra=settings.extra_environment, secrets=settings.secrets)
        self._environment = passed_on | {MARK: str(settings.root)}

    def spawn(
        self,
        folder: ProcessFolder,
        attempt: int,
        command: str,
        workdir: str,
        *,
        pty: bool,
        with_stdin: bool,
        variables: Mapping[str, str],
    ) -> Grip:
        """Start the wrapper; it runs the command if this attempt is not forbidden. `variables` are added to what every
        command gets. Raises OSError.
        """
        folder.make(with_stdin=with_stdin or pty)
        shell = shutil.which("bash") or "/bin/sh"
        largest_file = self._guard.largest_file(Path(workdir))
        environment = ({"TERM": "xterm-256color"} if pty else {}) | self._environment | dict(variables)
        with folder.output.open("ab") as output, _input(pty=pty) as (source, terminal):
            child = subprocess.Popen(
                wrapper_arguments(
                    folder.path,
                    attempt,
                    workdir=workdir,
                    largest_file=largest_file,
                    shell=shell,
                    command=command,
                    terminal=terminal,
                ),
                stdin=source,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
            )
        # It is watched by its pidfd and may outlive us: Popen shall neither wait for it nor complain about it.
        child.returncode = 0
        grip = grip_on_pid(child.pid)
        assert grip is not None, "a child that nobody has waited for is still there"
        return grip


@contextmanager
def _input(*, pty: bool) -> Iterator[tuple[int, str]]:
    """The input of a wrapper, and the path of the terminal, which it opens itself to make it its own."""
    if not pty:
        yield subprocess.DEVNULL, ""
        return
    master, terminal = os.openpty()
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        yield master, os.ttyname(terminal)
    finally:
        os.close(master)
        os.close(terminal)


def spawn_failure(error: OSError) -> tuple[int, str]:
    """The exit code of a process that could not be started, and the reason in words."""
    code = NOT_FOUND if error.errno == errno.ENOENT else CANNOT_RUN
    return code, f"the command could not be started: {(error.strerror or 'unknown error').lower()}"
