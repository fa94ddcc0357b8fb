"""Runs commands in bubblewrap: with the file system as it is, but without the server's own folder and process.

The wrapper of a command stays outside, so a server finds, ends and adopts a command as it does without a sandbox; all
of its processes are in the wrapper's process group. bwrap itself ignores the signals that a group gets, and the command
does not: it has the time that a command has to clean up. When bwrap's own first process is killed, the kernel ends
everything in the process space, whatever session it has begun.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

_SIGNALS = "HUP,INT,QUIT,TERM,USR1,USR2"
_TRIAL = 'test -e /proc/self/stat && test ! -e "$1/$2"'
_TRIAL_SECONDS = 10.0
# What root keeps inside: with more it could bring back what is hidden, by unmounting or from the disk itself.
_ROOT_MAY = ("chown", "dac_override", "fowner", "fsetid", "kill", "net_bind_service", "setgid", "setuid")


class SandboxSetting(StrEnum):
    AUTO = "auto"
    BWRAP = "bwrap"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Sandbox:
    program: str
    # The program `env`, which gives the command back its signals.
    env: str
    # The server's own folder, links followed.
    home: Path
    is_root: bool = False

    def around(self, command: Sequence[str], workdir: str, opened: Sequence[str]) -> list[str]:
        """Return the arguments that run a command inside. `opened` are paths in the server's folder that it sees."""
        return [*self._arguments(workdir, opened), "--", self.env, f"--default-signal={_SIGNALS}", *command]

    def _arguments(self, workdir: str, opened: Sequence[str]) -> list[str]:
        home, runtime = str(self.home), f"/run/user/{os.getuid()}"
        arguments = [self.program, "--bind", "/", "/", *self._devices(), "--unshare-pid", "--proc", "/proc"]
        # Root could name a program there that the kernel runs outside, such as the one that gets core dumps.
        arguments += ["--ro-bind-try", "/proc/sys", "/proc/sys"] if self.is_root else []
        # Through its sockets, the user's service manager would start programs outside of the sandbox.
        arguments += ["--tmpfs", runtime] if os.path.isdir(runtime) else []
        arguments += ["--tmpfs", home]
        for path in dict.fromkeys(opened):
            # No links: one may lead to what is hidden.
            if Path(path).is_relative_to(self.home) and path != home and os.path.realpath(path) == path:
                arguments += ["--bind-try", path, path]
        return [*arguments, "--remount-ro", home, "--chdir", workdir]

    def _devices(self) -> list[str]:
        if not self.is_root:
            return ["--dev-bind", "/dev", "/dev"]
        capabilities = [word for name in _ROOT_MAY for word in ("--cap-add", f"cap_{name}")]
        return ["--dev", "/dev", "--ro-bind", "/sys", "/sys", "--cap-drop", "ALL", *capabilities]


@dataclass(frozen=True, slots=True)
class SandboxChoice:
    """What commands run in, and why."""

    sandbox: Sandbox | None
    # A sentence.
    why: str

    @property
    def kind(self) -> Literal["bwrap", "none"]:
        return "none" if self.sandbox is None else "bwrap"


def choose_sandbox(setting: SandboxSetting, home: Path) -> SandboxChoice:
    """Try the sandbox out where the setting wants one."""
    if setting is SandboxSetting.OFF:
        return SandboxChoice(None, "sandbox is off")
    is_root = os.getuid() == 0
    if is_root and setting is SandboxSetting.AUTO:
        return SandboxChoice(None, "the server runs as root; set sandbox to bwrap to use it all the same")
    program, env = shutil.which("bwrap"), shutil.which("env")
    if program is None or env is None:
        return SandboxChoice(None, "bubblewrap is not installed")
    sandbox = Sandbox(program, env, home.resolve(), is_root)
    failure = _failure_of(sandbox)
    return SandboxChoice(None, failure) if failure else SandboxChoice(sandbox, "bubblewrap works here")


def _failure_of(sandbox: Sandbox) -> str:
    """Return why a trial fails; empty if the sandbox works."""
    hidden = next(iter(os.listdir(sandbox.home)), "key")
    command = sandbox.around(["/bin/sh", "-c", _TRIAL, "trial", str(sandbox.home), hidden], "/", ())
    try:
        trial = subprocess.run(command, capture_output=True, timeout=_TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {type(error).__name__}"
    if trial.returncode == 0:
        return ""
    words = " ".join(trial.stderr.decode(errors="replace").split())[:200]
    return f"bubblewrap does not work here: {words or f'exit code {trial.returncode}'}"
