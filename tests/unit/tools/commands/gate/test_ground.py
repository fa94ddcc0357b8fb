"""The folders that are the server's, and those inside of them that are open."""

import os
from pathlib import Path

import pytest

from wakeful.tools.commands.gate.ground import ground_of, is_within


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to("real")
    return tmp_path / "home"


def test_the_servers_folder_is_known_by_all_its_names(home: Path) -> None:
    ground = ground_of(home.parent / "workspace", home)
    names = [home, home.parent / "real", home.parent / "me/.wakeful"]

    assert sorted(ground.homes) == sorted(map(str, names))
    assert [ground.is_home(f"{name}/key") for name in names] == [True, True, True]
    assert [ground.is_home(f"{name}/workspace/a") for name in names] == [False, False, False]
    assert [ground.is_home(str(name)) for name in names] == [True, True, True]
    assert not ground.is_home(f"{home}-2/key")


def test_what_is_opened_is_open_by_both_its_names(home: Path) -> None:
    ground = ground_of(home.parent / "workspace", home, [home / "results/me"])

    assert [ground.is_home(f"{home.parent}/{name}/results/me/a") for name in ("home", "real")] == [False, False]
    assert [ground.is_home(f"{home.parent}/{name}/results/you/a") for name in ("home", "real")] == [True, True]


def test_a_workspace_in_the_servers_folder_is_open(home: Path) -> None:
    (home / "own").mkdir()

    ground = ground_of(home / "own", home)

    assert not ground.is_home(f"{home.parent}/real/own/a")
    assert not ground.is_home(f"{home}/own/a")
    assert ground.is_home(f"{home}/other/a")


def test_a_folder_is_above_the_servers(home: Path) -> None:
    ground = ground_of(home.parent / "workspace", home)

    assert [ground.is_above_home(str(path)) for path in (home.parent, "/", home, home / "a", "/opt")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_a_command_elsewhere_has_no_workspace_but_the_same_server(home: Path) -> None:
    ground = ground_of(home.parent, home)

    assert ground.elsewhere.workspace != ground.workspace
    assert (ground.elsewhere.homes, ground.elsewhere.open_homes) == (ground.homes, ground.open_homes)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("open('SERVER/key')", "SERVER"),
        ("open('SERVER')", "SERVER"),
        ("open('SERVER-2/key')", None),
        ("open('SERVER.old')", None),
        ("open('SERVER/workspace/a')", None),
        ("open('SERVER/workspace')", None),
        ("open('SERVER/workspace-2')", "SERVER"),
        ("open('SERVER/results/me/a')", None),
        ("open('SERVER/results/me-2/a')", "SERVER"),
        ("~/.wakeful/key", "~/.wakeful"),
        ("$HOME/.wakeful", "$HOME/.wakeful"),
        ("${HOME}/.wakeful/x", "${HOME}/.wakeful"),
        ("~/.wakeful/workspace/x", None),
        ("~/.wakeful2", None),
        ("$WAKEFUL_HOME/x", "$WAKEFUL_HOME"),
        ("${WAKEFUL_HOME}", "${WAKEFUL_HOME"),
        ("os.environ['WAKEFUL_HOME']", "environ['WAKEFUL_HOME"),
        ("WAKEFUL_HOME=x", None),
        ("/proc/PID/environ", "/proc/PID"),
        ("/proc/PID0/environ", None),
    ],
)
def test_a_text_may_name_the_server(text: str, found: str | None, home: Path) -> None:
    ground = ground_of(home.parent / "workspace", home, [home / "results/me"])
    names = {"SERVER": str(home), "PID": str(os.getpid())}
    for name, value in names.items():
        text, found = text.replace(name, value), found and found.replace(name, value)

    named = ground.home_names.search(text)

    assert (named and named.group()) == found


def test_a_folder_is_not_within_itself_nor_in_one_with_a_longer_name() -> None:
    assert [is_within(path, "/a") for path in ("/a/b", "/a", "/ab", "/")] == [True, False, False, False]
    assert [is_within(path, "/") for path in ("/a", "/")] == [True, False]
