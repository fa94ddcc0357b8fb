"""A process that ends while the disk is full keeps its exit code."""

import shutil
import subprocess
from pathlib import Path

import pytest

from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.wrapper import wrapper_arguments

# Mounts a disk of 64 KiB in a new mount namespace, runs the wrapper on it, and prints the exit file.
_ON_A_SMALL_DISK = """
mount -t tmpfs -o size=64k none "$1" && mkdir "$1/task" || exit 99
shift
setsid "$@" </dev/null >/dev/null 2>&1
cat "$0/task/exit"
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> list[str]:
    """Return the start of a command line that runs a program on the small disk."""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], check=False).returncode != 0:
        pytest.skip("this machine does not allow mount namespaces")
    return ["unshare", "-rm", "sh", "-c", _ON_A_SMALL_DISK, str(tmp_path), str(tmp_path)]


@pytest.mark.parametrize("code", [0, 7, 137])
def test_it_keeps_its_exit_code(small_disk: list[str], tmp_path: Path, code: int) -> None:
    arguments = wrapper_arguments(
        tmp_path / "task",
        1,
        workdir=str(tmp_path),
        largest_file=1 << 20,
        # Fills the disk to the last byte.
        command=["/bin/sh", "-c", f"cat /dev/zero >fill; echo x >more && exit 55; exit {code}"],
        terminal="",
    )
    ended = subprocess.run([*small_disk, *arguments], capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    left = ProcessFolder(tmp_path / "kept")
    left.make(with_stdin=False)
    (left.path / "exit").write_bytes(ended.stdout)
    assert left.exit_code() == code
