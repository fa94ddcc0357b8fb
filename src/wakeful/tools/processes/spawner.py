"""Starts processes: folder, environment, limits, terminal, wrapper."""

import errno
import fcntl
import os
import shutil
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
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
# A shell's exit codes for a command that cannot be run or found.
CANNOT_RUN, NOT_FOUND = 126, 127


class Spawner:
    def __init__(self, settings: ProcessSettings, guard: OutputGuard, environment: Mapping[str, str]) -> None:
        """`environment` is the server's own; commands get the allowed part of it."""
        self._guard = guard
        self._sandbox = settings.sandbox
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
        opened: Sequence[str] = (),
    ) -> Grip:
        """Start the wrapper, which runs the command unless this attempt is forbidden. `variables` are added to the
        environment of every command. `opened` are the paths in the server's folder that a sandbox leaves visible.
        Raises OSError.
        """
        folder.make(with_stdin=with_stdin or pty)
        environment = ({"TERM": "xterm-256color"} if pty else {}) | self._environment | dict(variables)
        with folder.output.open("ab") as output, _input(pty=pty) as (source, terminal):
            wrapper = wrapper_arguments(
                folder.path,
                attempt,
                workdir=workdir,
                largest_file=self._guard.largest_file(Path(workdir)),
                command=self._words(command, workdir, [*opened, str(folder.path)]),
                terminal=terminal,
                is_sandboxed=self._sandbox is not None,
            )
            child = subprocess.Popen(
                wrapper, stdin=source, stdout=output, stderr=output, env=environment, start_new_session=True
            )
        # The pidfd watches the child, which may outlive the server: keep Popen from waiting for it or warning about it.
        child.returncode = 0
        grip = grip_on_pid(child.pid)
        assert grip is not None, "a child exists until it is waited for"
        return grip

    def _words(self, command: str, workdir: str, opened: Sequence[str]) -> Sequence[str]:
        words = [shutil.which("bash") or "/bin/sh", "-c", command]
        return words if self._sandbox is None else self._sandbox.around(words, workdir, opened)


@contextmanager
def _input(*, pty: bool) -> Iterator[tuple[int, str]]:
    """Yield the wrapper's input, and the path of the terminal, which the wrapper opens as its controlling one."""
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
    """Return the exit code of a process that could not be started, and the reason."""
    code = NOT_FOUND if error.errno == errno.ENOENT else CANNOT_RUN
    return code, f"the command could not be started: {(error.strerror or 'unknown error').lower()}"
