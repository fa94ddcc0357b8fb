"""The fixtures of the tests of processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.tools.processes.kit import Ledger, end_all_below
from wakeful.tools.processes.settings import ProcessSettings


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[ProcessSettings]:
    settings = ProcessSettings(tmp_path / "processes", kill_grace=0.2)
    yield settings
    end_all_below(settings.root)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()
