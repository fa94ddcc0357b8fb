"""The key file: made once, for its owner only, and never silently replaced."""

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from wakeful.errors import ConfigError
from wakeful.gateway.entrance.local_key import local_key


def test_the_key_is_made_once_and_kept(tmp_path: Path) -> None:
    key = local_key(tmp_path)

    assert local_key(tmp_path) == key
    assert len(key) > 40
    assert (tmp_path / "key").read_text() == f"{key}\n"


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    local_key(tmp_path)

    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_many_first_starts_make_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = list(pool.map(lambda _: local_key(tmp_path), range(64)))

    assert len(set(keys)) == 1


def test_a_key_that_another_server_wrote_while_this_one_waited_for_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(file: int, how: int) -> None:
        assert how == fcntl.LOCK_EX
        (tmp_path / "key").write_text("the key of the other server\n".replace(" ", "-"))

    monkeypatch.setattr(fcntl, "flock", wait)

    assert local_key(tmp_path) == "the-key-of-the-other-server"


def test_a_new_key_is_on_the_disk_before_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append((tmp_path / "key").read_text()))
    key = local_key(tmp_path)

    assert synced == [f"{key}\n"]


def test_the_file_is_closed_again(tmp_path: Path) -> None:
    for _ in ("made", "read"):
        local_key(tmp_path)
        open_files = [Path(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
        assert not [file for file in open_files if file.is_symlink() and file.resolve() == tmp_path / "key"]


@pytest.mark.parametrize("content", ["k" * 16, "~" * 16 + "\n"])
def test_a_key_of_ones_own_needs_sixteen_letters(tmp_path: Path, content: str) -> None:
    (tmp_path / "key").touch(mode=0o600)
    (tmp_path / "key").write_text(content)

    assert local_key(tmp_path) == content.strip()


def test_an_empty_file_that_a_crash_left_is_filled(tmp_path: Path) -> None:
    (tmp_path / "key").touch(mode=0o600)

    assert local_key(tmp_path) == local_key(tmp_path) != ""


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    key = local_key(tmp_path)
    (tmp_path / "key").chmod(mode)

    with pytest.raises(ConfigError, match=f"open to others \\(mode {mode:o}\\).*chmod 600") as caught:
        local_key(tmp_path)

    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "content", ["short\n", "k" * 15, "two words that are long enough\n", "é" * 40, "a" * 20 + "\nb\n"]
)
def test_a_damaged_file_is_refused_and_kept(tmp_path: Path, content: str) -> None:
    (tmp_path / "key").touch(mode=0o600)
    (tmp_path / "key").write_text(content)

    with pytest.raises(ConfigError, match="does not hold a key: delete it"):
        local_key(tmp_path)

    assert (tmp_path / "key").read_text() == content


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").mkdir(mode=0o700)

    with pytest.raises(ConfigError, match="cannot be used"):
        local_key(tmp_path)
