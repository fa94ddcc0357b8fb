"""A process that plants one fault after the other in a copy of its own, and runs the tests that can see it."""

import os
import signal
import sys
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

from mutants.trying.copy import Copy
from mutants.trying.descendants import adopt_orphans, end_descendants
from mutants.trying.run import Outcome, load, run_tests


class Verdict(StrEnum):
    CAUGHT = "caught"
    HANGS = "hangs"
    SURVIVED = "survived"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class Trial:
    """A fault to plant, and the tests to run, in this order."""

    fault_id: str
    path: str
    content: bytes
    tests: list[str]
    # After so many seconds a test fails, or a run of them hangs.
    each: float
    patience: float


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    ran: list[str] = field(default_factory=list)
    by: str | None = None


def work(connection: Connection, root: Path, folder: Path, tools: list[str]) -> None:
    """Answer each trial with a judgement until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to end
    signal.signal(signal.SIGTERM, _leave)
    os.chdir(root)
    adopt_orphans()
    load(tools)
    worker = Worker(Copy(root, folder), folder)
    try:
        while True:
            connection.send(worker.judge(connection.recv()))
    except EOFError:
        pass
    finally:
        end_descendants()


class Worker:
    def __init__(self, copy: Copy, folder: Path) -> None:
        self._copy = copy
        self._folder = folder
        # Whether a test passes without any fault.
        self._is_sound: dict[str, bool] = {}

    def judge(self, trial: Trial) -> Judgement:
        """A test that fails without the fault too has caught nothing: the others are asked again."""
        tests = trial.tests
        while tests:
            with self._copy.planted(trial.path, trial.content):
                outcome = self._run(tests, trial)
            if outcome.hangs:
                return Judgement(self._verdict_on_hanging(tests, trial), tests)
            if outcome.failed is None:
                return Judgement(Verdict.SURVIVED, outcome.ran)
            if self._passes_without(outcome.failed, trial):
                return Judgement(Verdict.CAUGHT, outcome.ran, outcome.failed)
            tests = [test for test in tests if not test.startswith(outcome.failed)]
        return Judgement(Verdict.UNSEEN)

    def _verdict_on_hanging(self, tests: list[str], trial: Trial) -> Verdict:
        """On a machine that is too busy, they are late without the fault too."""
        return Verdict.SURVIVED if self._run(tests, trial).hangs else Verdict.HANGS

    def _passes_without(self, failed: str, trial: Trial) -> bool:
        """`failed` may be a whole file, which could not be imported."""
        if failed not in self._is_sound:
            tests = [test for test in trial.tests if test.startswith(failed)]
            self._is_sound[failed] = not self._run(tests, trial).is_caught
        return self._is_sound[failed]

    def _run(self, tests: list[str], trial: Trial) -> Outcome:
        return run_tests(tests, self._copy.import_path, self._folder / "run", each=trial.each, patience=trial.patience)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit()
