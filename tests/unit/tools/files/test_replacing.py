"""Files are replaced for good, and nothing is left over from it."""

import os
from pathlib import Path

import pytest

from tests.unit.tools.files.kit import ChangeRows, changer_on, run
from tests.unit.tools.kit import HOME, open_below
from wakeful.tools.files.change_tools import WriteFile
from wakeful.tools.files.replacing import remove_file, replace_file, sync_folder
from wakeful.tools.files.workspace import Folders


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is brought to the disk, by its path, and each replacement, in their order."""
    steps: list[str] = []
    sync, replace = os.fsync, os.replace

    def noted_sync(file: int) -> None:
        steps.append(os.readlink(f"/proc/self/fd/{file}"))
        sync(file)

    def noted_replace(path: str, target: str, **folders: int) -> None:
        steps.append(f"replace {target}")
        replace(path, target, **folders)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_replace)
    return steps


def test_the_content_is_on_the_disk_before_the_file_has_its_name_and_the_name_after_it(
    tmp_path: Path, steps: list[str]
) -> None:
    replace_file(tmp_path / "a", b"new")

    temporary, *rest = steps
    assert Path(temporary).parent == tmp_path
    assert rest == ["replace a", str(tmp_path)]


def test_a_file_that_is_removed_is_removed_on_the_disk(tmp_path: Path, steps: list[str]) -> None:
    (tmp_path / "a").touch()

    remove_file(tmp_path / "a")

    assert steps == [str(tmp_path)]
    assert not (tmp_path / "a").exists()


async def test_a_copy_and_its_folder_are_on_the_disk_before_the_file_is_replaced(
    tmp_path: Path, steps: list[str]
) -> None:
    (tmp_path / "a").write_text("old")

    await run(WriteFile(changer_on(tmp_path / "home", ChangeRows()), Folders(HOME)), tmp_path, path="a", content="new")

    copies = tmp_path / "home/changes"
    (of_session,) = copies.iterdir()
    before = steps[: steps.index("replace a")]
    assert before.index(str(of_session)) < before.index(str(copies))


def test_a_file_that_cannot_be_replaced_leaves_nothing_else_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(path: str, target: str, **folders: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, "replace", full_disk)

    with pytest.raises(OSError, match="No space left"):
        replace_file(tmp_path / "a", b"new")

    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


def test_no_file_stays_open(tmp_path: Path) -> None:
    replace_file(tmp_path / "a", b"new")
    sync_folder(tmp_path)
    remove_file(tmp_path / "a")

    assert open_below(tmp_path) == []
