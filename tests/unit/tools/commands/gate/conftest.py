from pathlib import Path

import pytest

from wakeful.tools.commands.gate.ground import Ground


@pytest.fixture
def above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the workspace and the folder `other` are in."""
    # The test runs in a temporary folder, which must not count as one.
    monkeypatch.setattr(Ground, "temporary", ("/tmp-of-the-machine",))
    (tmp_path / "workspace/src").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/data.txt").touch()
    (tmp_path / "workspace/link").symlink_to(tmp_path / "other")
    return tmp_path
