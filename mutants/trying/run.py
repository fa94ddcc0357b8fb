"""One run of chosen tests against a copy of the source, in a fork of a process that has the test tools loaded."""

import importlib
import json
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from mutants.trying.descendants import end_descendants
from mutants.trying.picker import Picker

# Importing these takes seconds, and no fault is planted in them. None of them may import wakeful.
TOOLS = [
    "aiohttp",
    "asyncpg",
    "click",
    "hypothesis",
    "msgspec",
    "openai",
    "orjson",
    "pytest_asyncio.plugin",
    "pytest_rerunfailures",
    "pytest_timeout",
    "rich.console",
    "schemathesis.pytest.plugin",
    "starlette.applications",
    "uvicorn",
    "uvloop",
    "xdist.plugin",
]
_OPTIONS = [
    *("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist"),
    # As scripts/test does: what passes at the second try would not be noticed.
    *("--reruns", "1"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: `failed` names the test that failed first."""

    failed: str | None
    ran: list[str]
    hangs: bool = False

    @property
    def is_caught(self) -> bool:
        return self.failed is not None or self.hangs


def load(tools: list[str]) -> None:
    for name in tools:
        with suppress(ImportError):
            importlib.import_module(name)


def run_tests(tests: list[str], import_path: str, folder: Path, *, each: float, patience: float) -> Outcome:
    """Run these tests until one fails, as one does that takes longer than `each`, or until all of them take too long.
    Whatever they started is ended afterwards.
    """
    folder.mkdir(exist_ok=True)
    told = folder / "told.json"
    told.unlink(missing_ok=True)
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        _be_the_run(tests, import_path, folder, each)
    try:
        in_time = _wait(pid, time.monotonic() + patience)
    finally:
        end_descendants()
    if not in_time:
        return Outcome(None, tests, hangs=True)
    if not told.exists():
        # Not begun, as when a conftest.py cannot import the source, or ended by the fault: so the first one failed.
        return Outcome(tests[0], [])
    return Outcome(**json.loads(told.read_text()))


def _be_the_run(tests: list[str], import_path: str, folder: Path, each: float) -> None:
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        _redirect(folder / "output")
        _use(import_path, folder)
        picker = Picker(tests, folder / "told.json")
        options = [*_OPTIONS, f"--timeout={each:.0f}", "--basetemp", str(folder / "tmp")]
        pytest.main([*options, *picker.files], plugins=[picker])
    finally:
        os._exit(0)


def _redirect(output: Path) -> None:
    nothing, written = os.open(os.devnull, os.O_RDONLY), os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(nothing, 0)
    os.dup2(written, 1)
    os.dup2(written, 2)


def _use(import_path: str, folder: Path) -> None:
    """Import wakeful from there, here and in every process that a test starts."""
    sys.path.insert(0, import_path)
    os.environ["PYTHONPATH"] = import_path
    # What a fault made fail must not be tried first against the next one.
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "tmp-hypothesis")


def _wait(pid: int, deadline: float) -> bool:
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
