"""The home folder: made for its owner only, and refused with a sentence where it cannot be used."""

import os
from pathlib import Path

import pytest

from wakeful.config.home import find_home, make_home
from wakeful.errors import ConfigError


def test_home_is_a_hidden_folder_of_the_user_unless_it_is_set() -> None:
    assert find_home({}) == find_home({"WAKEFUL_HOME": " "}) == Path("~/.wakeful").expanduser()
    assert find_home({"WAKEFUL_HOME": "here"}) == Path.cwd() / "here"


def test_a_new_home_is_for_its_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"

    make_home(home)
    make_home(home)

    assert home.stat().st_mode & 0o777 == 0o700


def test_a_file_of_that_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").touch()

    with pytest.raises(ConfigError, match=r"cannot be made .*WAKEFUL_HOME"):
        make_home(tmp_path / "home")


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)

    with pytest.raises(ConfigError, match=r"cannot be written: .*WAKEFUL_HOME"):
        make_home(tmp_path)


def test_an_unknown_user_s_home_is_refused() -> None:
    with pytest.raises(ConfigError, match="WAKEFUL_HOME"):
        find_home({"WAKEFUL_HOME": "~no-such-user/wakeful"})
