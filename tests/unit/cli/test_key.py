"""`wakeful key`: the key of this home, or a new one for somebody else."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from wakeful.cli.key import key
from wakeful.gateway.entrance.local_key import local_key


def test_the_key_of_this_home_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("WAKEFUL_HOME", str(home))

    first, second = (CliRunner().invoke(key, []).output for _ in range(2))

    assert first == second == f"{local_key(home)}\n"
    assert home.stat().st_mode & 0o077 == 0


def test_a_new_key_is_another_each_time_and_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("WAKEFUL_HOME", str(home))

    first, second = (CliRunner().invoke(key, ["--new"]).output.strip() for _ in range(2))

    assert len({first, second, ""}) == 3
    assert not home.exists()
