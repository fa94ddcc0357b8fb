"""Files and folders are opened where their path leads, no link is followed, and nothing stays open."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from wakeful.opened_files import open_file, opened_folder, scanned_folder


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    before = _open_files()
    yield
    assert _open_files() == before


def _open_files() -> list[str]:
    return sorted(name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").write_text("words")
    return inner


def test_a_file_is_read_by_its_whole_path_and_from_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_file(folder / "file") as file:
        assert file.read() == b"words"
    monkeypatch.chdir(folder.parent)
    with open_file(Path("inner/file")) as file:
        assert file.read() == b"words"
    with opened_folder(Path("/")) as root:
        assert os.path.samestat(os.fstat(root), os.stat("/"))


def test_what_is_no_file_is_not_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe")

    for name in (".", "pipe"):
        with pytest.raises(IsADirectoryError):
            open_file(folder / name)
    with pytest.raises(FileNotFoundError):
        open_file(folder / "none")


def test_no_link_is_followed(folder: Path) -> None:
    (folder / "link").symlink_to("file")
    (folder.parent / "other").symlink_to("inner")

    for path in (folder / "link", folder.parent / "other" / "file"):
        with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
            open_file(path)


def test_a_folder_is_listed_while_it_is_open(folder: Path) -> None:
    (folder / "more").mkdir()

    with scanned_folder(folder) as entries:
        assert {entry.name: entry.is_dir() for entry in entries} == {"file": False, "more": True}
