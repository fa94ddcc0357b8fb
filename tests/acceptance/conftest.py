"""What the acceptance tests share."""

from pathlib import Path

import pytest

from tests.acceptance.command import Command


@pytest.fixture
def wakeful(tmp_path: Path) -> Command:
    """The command, in an empty folder, with a home that does not exist yet."""
    folder = tmp_path / "folder"
    folder.mkdir()
    return Command(tmp_path / "home", folder)
