"""Processes whose server was killed are ended, whenever they were started."""

import logging
import subprocess
from pathlib import Path

import pytest

from tests.unit.tools.processes.kit import group_members, until
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.left_behind import clear_away


async def test_a_process_that_starts_just_before_its_start_is_forbidden_is_ended_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    forbid = ProcessFolder.fence
    folder = ProcessFolder(tmp_path / "proc_1")
    folder.make(with_stdin=False)
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as late:

        def too_late(folder: ProcessFolder, attempt: int) -> bool:
            (folder.path / f"started.{attempt}").write_text(Path(f"/proc/{late.pid}/stat").read_text())
            return forbid(folder, attempt)

        monkeypatch.setattr(ProcessFolder, "fence", too_late)
        try:
            clear_away(folder)

            assert f"process group {late.pid}" in caplog.text
            await until(lambda: not group_members(late.pid))
            assert not folder.path.exists()
        finally:
            late.kill()


def test_a_process_that_never_started_leaves_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    folder = ProcessFolder(tmp_path / "proc_1")
    folder.make(with_stdin=True)

    clear_away(folder)

    assert (list(tmp_path.iterdir()), caplog.text) == ([], "")
