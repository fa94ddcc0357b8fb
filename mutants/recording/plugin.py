"""A plugin of pytest that records what each test runs. Loaded with -p into every process of the tests."""

import json
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from mutants.recording.tracing import Tracing, ask_started_processes, save_before_leaving


def pytest_configure(config: pytest.Config) -> None:
    is_controller = bool(config.getoption("numprocesses", None)) and not hasattr(config, "workerinput")
    if not is_controller:
        config.pluginmanager.register(Recorder(Path(os.environ["MUTANTS_RECORDINGS"])))


class Recorder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder / str(os.getpid())
        (self._folder / "processes").mkdir(parents=True)
        (self._folder / "test").write_text("")
        os.environ["MUTANTS_RECORDING"] = str(self._folder)
        self._seconds: dict[str, float] = {}
        self._tracing = Tracing(self._folder)
        save_before_leaving(self._save)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._tracing.begin(item.nodeid)
        started = time.monotonic()
        result = yield
        if item.nodeid in self._seconds:
            self._seconds[item.nodeid] = time.monotonic() - started
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Only a test that passes can catch a fault."""
        if report.when == "call" and report.passed:
            self._seconds[report.nodeid] = 0
        if report.failed:
            self._seconds.pop(report.nodeid, None)

    def pytest_sessionfinish(self) -> None:
        self._save()
        (self._folder / "seconds.json").write_text(json.dumps(self._seconds))

    def _save(self) -> None:
        self._tracing.save()
        ask_started_processes(self._folder)
