"""The Unix socket of a home: for its owner only, taken over from an ended server, left to a running one."""

import errno
import os
import socket
from pathlib import Path

import pytest

from wakeful.cli.server.listener import bind_listener, bind_local, is_answered, local_listener, local_socket, url_of
from wakeful.config.load import load_config
from wakeful.errors import ConfigError


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


def test_a_server_that_is_too_busy_to_take_a_call_is_there(tmp_path: Path) -> None:
    path = tmp_path / "busy"
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as first:
        busy.bind(str(path))
        busy.listen(0)
        first.connect(str(path))

        assert is_answered(path)


def test_a_name_of_the_greatest_length_is_used(tmp_path: Path) -> None:
    short = tmp_path / ("x" * (107 - len(str(tmp_path)) - 1))

    with bind_local(short):
        assert is_answered(short)


def test_a_socket_that_cannot_be_made_leaves_nothing_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))

    with pytest.raises(OSError, match="No such file"):
        bind_local(tmp_path / "missing" / "sock")

    assert len(os.listdir("/proc/self/fd")) == before


def test_a_socket_that_is_gone_meanwhile_is_no_error(tmp_path: Path) -> None:
    with local_listener(tmp_path):
        local_socket(tmp_path).unlink()


def bound(home: Path, **settings: str) -> socket.socket:
    return bind_listener(load_config({"WAKEFUL_HOME": str(home), "WAKEFUL_PORT": "0", **settings}))


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("::1", "[::1]")])
def test_an_address_of_this_machine_is_listened_on_at_once(tmp_path: Path, host: str, shown: str) -> None:
    with bound(tmp_path, WAKEFUL_HOST=host) as listener:
        assert url_of(listener) == f"http://{shown}:{listener.getsockname()[1]}"
        # Early clients wait until the server takes them.
        socket.create_connection(listener.getsockname()[:2]).close()


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("0.0.0.0", "can be reached from other machines, and no key is configured: set WAKEFUL_API_KEYS="),
        ("x" * 70 + ".invalid", "WAKEFUL_HOST must be an address or name of this machine"),
    ],
)
def test_an_address_that_is_not_for_us_is_refused(tmp_path: Path, host: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        bound(tmp_path, WAKEFUL_HOST=host)


def test_with_a_key_others_may_reach_it_if_the_address_is_ours(tmp_path: Path) -> None:
    keys = {"WAKEFUL_API_KEYS": "ann=the-key-of-ann-0"}
    with bound(tmp_path, WAKEFUL_HOST="0.0.0.0", **keys) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"
    before = len(os.listdir("/proc/self/fd"))

    with pytest.raises(
        ConfigError, match=r"WAKEFUL_HOST must be an address of this machine, which 192\.0\.2\.1 is not"
    ):
        bound(tmp_path, WAKEFUL_HOST="192.0.2.1", **keys)

    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EADDRINUSE, "is in use by another program: stop that one"),
        (errno.EACCES, "is not allowed for this user: choose a port from 1024"),
        (errno.EPERM, "cannot be used: Operation not permitted."),
    ],
)
def test_each_reason_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str) -> None:
    def refuse(listener: socket.socket, address: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(socket.socket, "bind", refuse)

    with pytest.raises(ConfigError, match=f"The address 127.0.0.1:0 {words}"):
        bound(tmp_path)
