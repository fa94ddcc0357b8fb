"""The Unix socket of a home: for its owner only, taken over from an ended server, left to a running one."""

import os
import socket
from pathlib import Path

import pytest

from wakeful.cli.server.listener import is_answered, local_listener, local_socket


def test_only_the_owner_may_open_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with local_listener(tmp_path) as listener:
            assert listener is not None
            assert local_socket(tmp_path).stat().st_mode & 0o777 == 0o600
            assert is_answered(local_socket(tmp_path))
    finally:
        os.umask(before)
    assert not local_socket(tmp_path).exists()


def test_the_name_of_a_dead_server_is_taken_over(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(local_socket(tmp_path)))
    assert not is_answered(local_socket(tmp_path))

    with local_listener(tmp_path) as listener:
        assert listener is not None
        assert is_answered(local_socket(tmp_path))


def test_the_name_of_a_living_server_is_left_to_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with local_listener(tmp_path):
        with local_listener(tmp_path) as second:
            assert second is None
        assert is_answered(local_socket(tmp_path))

    # Commands have a server to talk to, so nothing is logged.
    assert caplog.text == ""


def test_a_name_that_was_taken_meanwhile_is_not_removed(tmp_path: Path) -> None:
    with local_listener(tmp_path):
        other = tmp_path / "other"
        other.touch()
        other.rename(local_socket(tmp_path))

    assert local_socket(tmp_path).exists()


def test_a_file_of_that_name_is_not_removed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    local_socket(tmp_path).write_text("precious")

    with local_listener(tmp_path) as listener:
        assert listener is None

    assert local_socket(tmp_path).read_text() == "precious"
    assert "a file of that name exists" in caplog.text


def test_a_home_with_too_long_a_name_goes_without(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    home = tmp_path / ("x" * 100)
    home.mkdir()

    with local_listener(home) as listener:
        assert listener is None

    assert len(caplog.records) == 1
    assert "longer than 107 bytes" in caplog.text
    assert not is_answered(local_socket(home))


def test_a_home_that_cannot_be_written_goes_without(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with local_listener(tmp_path / "missing") as listener:
        assert listener is None

    assert "No such file or directory" in caplog.text
