"""The fixtures of commands."""

from pathlib import Path

import pytest

from tests.unit.cli.scripted_server import Typist


@pytest.fixture
def typist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typist:
    return Typist(tmp_path, monkeypatch)
