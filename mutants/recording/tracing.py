"""Records which lines a process runs, for which test: in the tests' own process and in those that it starts.

A started process, such as a server, may live for many tests and is often killed. So before each next test, and before
each kill, the tests' process asks it with a signal to write down what it has seen.
"""

import atexit
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import coverage

# Ignored by default: one that comes too early, or reaches another program, does nothing.
_ASKED = signal.SIGURG
_PATIENCE_SECONDS = 1.0
_WARNINGS = ["no-data-collected", "module-not-measured", "already-imported", "not-measured", "module-not-imported"]


class Tracing:
    """What one process runs. The folder belongs to one process of tests and all processes that it starts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._coverage = coverage.Coverage(
            data_file=str(folder / "lines"),
            data_suffix=True,
            config_file=False,
            include=[os.environ["MUTANTS_PACKAGE"] + "/*"],
        )
        self._coverage.set_option("run:disable_warnings", _WARNINGS)
        # The only one that can tell tests apart, on every version of Python.
        self._coverage.set_option("run:core", "ctrace")
        self._coverage.start()
        self._switch()

    def begin(self, test: str) -> None:
        """From now on, what runs is seen by this test."""
        (self._folder / "test").write_text(test)
        self._switch()
        ask_started_processes(self._folder)

    def save(self) -> None:
        """Write down what was seen: switching to a test, even to the same, does so."""
        self._switch()

    def _switch(self) -> None:
        # A process of another user, or one that may not write as much, is not recorded.
        with self._lock, suppress(OSError, coverage.CoverageException):
            self._coverage.switch_context((self._folder / "test").read_text())


def trace_started_process() -> None:
    folder = Path(os.environ["MUTANTS_RECORDING"])
    tracing = Tracing(folder)

    def answer(text: str) -> None:
        (folder / "processes" / str(os.getpid())).write_text(text)

    def save(_number: int, _frame: FrameType | None) -> None:
        tracing.save()
        answer(str(time.monotonic_ns()))

    signal.signal(_ASKED, save)
    with suppress(OSError):  # A process of another user is not asked.
        answer("")
    atexit.register(tracing.save)
    save_before_leaving(tracing.save)


def save_before_leaving(save: Callable[[], None]) -> None:
    """Save before this process kills one, which may be itself, or leaves without cleaning up."""
    kill, kill_group, leave = os.kill, os.killpg, os._exit

    def saving_kill(pid: int, number: int) -> None:
        if number == signal.SIGKILL:
            save()
        kill(pid, number)

    def saving_kill_group(group: int, number: int) -> None:
        if number == signal.SIGKILL:
            save()
        kill_group(group, number)

    def saving_leave(status: int) -> NoReturn:
        try:
            save()
        finally:  # A fork that may not write would otherwise go on with the tests.
            leave(status)

    os.kill, os.killpg, os._exit = saving_kill, saving_kill_group, saving_leave


def ask_started_processes(folder: Path) -> None:
    """Return when all have written down what they have seen, or are gone, or do not answer."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    asked = {answer: said for answer in (folder / "processes").iterdir() if (said := _asked(answer)) is not None}
    while asked and time.monotonic() < deadline:
        asked = {answer: said for answer, said in asked.items() if _is_awaited(answer, said)}
        if asked:
            time.sleep(0.002)


def _asked(answer: Path) -> str | None:
    """Ask one process, and return what it has answered so far; None for one that is gone."""
    said = answer.read_text()
    try:
        os.kill(int(answer.name), _ASKED)
    except (ProcessLookupError, PermissionError):
        answer.unlink()
        return None
    return said


def _is_awaited(answer: Path, said: str) -> bool:
    return answer.read_text() in {said, ""} and _is_alive(int(answer.name))


def _is_alive(pid: int) -> bool:
    """A process that has ended counts as alive until its parent has waited for it, except where /proc tells."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return not Path("/proc").exists()
