"""A plugin of pytest that runs chosen tests in a chosen order, and tells how they ended."""

import json
from pathlib import Path

import pytest

from mutants.seen import file_of


class Picker:
    def __init__(self, tests: list[str], told: Path) -> None:
        self._order = {name: place for place, name in enumerate(tests)}
        self._told = told
        self._ran: list[str] = []
        self._failed: str | None = None

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(file_of(name) for name in self._order))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed = self._failed or report.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = self._failed or report.nodeid
        if report.when == "call" and report.outcome in {"passed", "failed"}:  # not the first of two tries
            self._ran.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._told.write_text(json.dumps({"failed": self._failed, "ran": self._ran}))
