"""The files of a process, complete or not."""

import stat
from pathlib import Path

import pytest

from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.kernel.host import this_host
from wakeful.tools.processes.kernel.identity import Identity, identity_from, identity_of, own_identity


@pytest.fixture
def folder(tmp_path: Path) -> ProcessFolder:
    folder = ProcessFolder(tmp_path / "root" / "proc_1")
    folder.make(with_stdin=True)
    return folder


def test_files_are_for_their_owner_only(folder: ProcessFolder) -> None:
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.output.stat().st_mode) == 0o600
    assert stat.S_ISFIFO(folder.stdin.stat().st_mode)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("0\n", 0),
        ("143\n", 143),
        ("", None),
        ("1", None),
        ("12", None),
        ("x\n", None),
        ("1234\n", None),
        ("reserved\n", None),
        ("7served\n", None),
        ("7\nserved\n", 7),
    ],
)
def test_exit_code_counts_only_when_it_is_complete(folder: ProcessFolder, content: str, code: int | None) -> None:
    assert folder.exit_code() is None
    (folder.path / "exit").write_text(content)

    assert folder.exit_code() == code


def test_fence_forbids_a_start_once(folder: ProcessFolder) -> None:
    assert folder.started(1) == "not_started"
    assert folder.fence(1)
    assert not folder.fence(1)
    assert folder.started(1) == "fenced"
    assert sorted(path.name for path in folder.path.iterdir()) == ["output", "started.1", "stdin"]


def test_fence_comes_too_late_for_a_wrapper_that_has_begun(folder: ProcessFolder) -> None:
    (folder.path / "started.1").touch()

    assert not folder.fence(1)
    assert folder.started(1) == "unfinished"


@pytest.mark.parametrize("content", ["17 (sh) S 1", "17 (sh) S 1\n", "\n", "rubbish\n", "\0\0\0\n"])
def test_start_that_names_no_process_is_not_trusted(folder: ProcessFolder, content: str) -> None:
    (folder.path / "started.1").write_text(content)

    assert folder.started(1) == "unfinished"


def test_name_of_a_process_may_contain_anything() -> None:
    stat_line = "17 (a) S (b) R 1 17 17 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1\n"

    assert identity_from(stat_line) == Identity(17, 4711)


def test_identity_is_the_same_each_time_and_another_for_another_process() -> None:
    assert own_identity() == own_identity()
    assert identity_of(1) != own_identity()
    assert identity_of(2**22 + 1) is None


def test_host_keeps_its_id(tmp_path: Path) -> None:
    first = this_host(tmp_path)

    assert this_host(tmp_path) == first
    assert first.id
    assert first.boot_id
    assert [path.name for path in tmp_path.iterdir()] == ["host"]
    assert this_host(tmp_path.parent).id != first.id
    (tmp_path.parent / "host").unlink()


def test_of_two_servers_that_start_at_once_the_first_names_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = this_host(tmp_path)
    # As if the other one had written it just now.
    monkeypatch.setattr(Path, "exists", lambda path: False)

    assert this_host(tmp_path) == first
    assert [path.name for path in tmp_path.iterdir()] == ["host"]
