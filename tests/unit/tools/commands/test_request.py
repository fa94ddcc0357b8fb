"""The arguments of a terminal call, at the edges of what is allowed."""

import os
from pathlib import Path
from typing import Any

import pytest

from wakeful.tools.base import Unusable
from wakeful.tools.commands.request import TerminalRequest, asks_for_background, read_request


def read(workspace: Path, **arguments: Any) -> TerminalRequest:
    return read_request({"command": "ls", **arguments}, workspace)


def test_what_is_left_out_has_its_usual_value(tmp_path: Path) -> None:
    request = read(tmp_path)

    assert (request.command, request.workdir, request.timeout) == ("ls", tmp_path, None)
    assert (request.background, request.pty, request.notify_on_complete) == (False, False, False)
    assert (request.watch_patterns, request.wants_promise) == ((), False)
    assert read(tmp_path, workdir="", watch_patterns=None, timeout=None) == request


def test_models_may_write_numbers_and_truths_as_text(tmp_path: Path) -> None:
    request = read(tmp_path, timeout="1.5", background="TRUE", pty="false", notify_on_complete="true")

    assert (request.timeout, request.background, request.pty, request.wants_promise) == (1.5, True, False, True)
    assert asks_for_background({"background": "true"})
    assert not asks_for_background({"background": "false"})
    assert asks_for_background({"background": "perhaps"}) is False


@pytest.mark.parametrize(
    "arguments",
    [
        {"timeout": 600},
        {"timeout": 601, "background": True},
        {"timeout": 0.001},
        {"command": "x" * 100_000},
        {"watch_patterns": ["x" * 1_000] * 50, "background": True},
    ],
)
def test_what_is_just_allowed_is_taken(tmp_path: Path, arguments: dict[str, Any]) -> None:
    read(tmp_path, **arguments)


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        ({"command": "x" * 100_001}, "command has 100,001 bytes, and the limit is 100,000", "too_large"),
        ({"command": "\u00e9" * 50_001}, "command has 100,002 bytes", "too_large"),
        ({"command": "\ud800"}, "command is not valid Unicode text", "invalid_arguments"),
        ({"timeout": 10**400}, "timeout must be", "invalid_arguments"),
        ({"timeout": float("inf")}, "timeout must be", "invalid_arguments"),
        ({"timeout": [1]}, "timeout must be", "invalid_arguments"),
        ({"watch_patterns": ["x" * 1_001], "background": True}, "1 to 1,000 characters", "invalid_arguments"),
        ({"workdir": "a\0b"}, "workdir must be", "invalid_arguments"),
        ({"workdir": 7}, "workdir must be", "invalid_arguments"),
        ({"workdir": "missing"}, "workdir missing was not found", "not_found"),
        ({"workdir": "/etc/passwd"}, "workdir /etc/passwd is not a folder", "not_a_folder"),
        ({"command": 7}, "command must be a string", "invalid_arguments"),
        ({"command": " \n"}, "command must be a string", "invalid_arguments"),
        ({"command": "a\0b"}, "NUL", "invalid_arguments"),
        ({"timeout": True}, "timeout must be", "invalid_arguments"),
        ({"timeout": 0}, "timeout must be", "invalid_arguments"),
        ({"timeout": "soon"}, "timeout must be", "invalid_arguments"),
        ({"timeout": 600.1}, "600 s at most", "invalid_arguments"),
        ({"notify_on_complete": True}, "need background=true", "invalid_arguments"),
        ({"watch_patterns": ["x"]}, "need background=true", "invalid_arguments"),
        ({"watch_patterns": "x", "background": True}, "must be a list of strings", "invalid_arguments"),
        ({"watch_patterns": [7], "background": True}, "must be a list of strings", "invalid_arguments"),
        ({"watch_patterns": ["x"] * 51, "background": True}, "51 entries, and the limit is 50", "invalid_arguments"),
        ({"watch_patterns": ["x", ""], "background": True}, "1 to 1,000 characters", "invalid_arguments"),
        ({"watch_patterns": ["x\ny"], "background": True}, "of one line", "invalid_arguments"),
        ({"background": "perhaps"}, "background must be true or false", "invalid_arguments"),
        ({"pty": 1}, "pty must be true or false", "invalid_arguments"),
    ],
)
def test_what_is_not_is_refused(tmp_path: Path, arguments: dict[str, Any], words: str, code: str) -> None:
    with pytest.raises(Unusable, match=words) as refused:
        read(tmp_path, **arguments)

    assert refused.value.code == code


def test_a_folder_is_named_from_the_workspace_the_home_or_the_root_and_links_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    for name in ("me/in", "work/sub"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "work/link").symlink_to(tmp_path / "me")

    folders = [read(tmp_path / "work", workdir=name).workdir for name in ("sub", "~/in", "link/in", "..", "/")]

    assert folders == [tmp_path / "work/sub", tmp_path / "me/in", tmp_path / "me/in", tmp_path, Path(os.sep)]
