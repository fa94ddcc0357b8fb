"""Why a process could not be started."""

import errno

import pytest

from wakeful.tools.processes.spawner import spawn_failure


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file"), 127, "no such file"),
        (PermissionError(errno.EACCES, "Permission denied"), 126, "permission denied"),
        (OSError(), 126, "unknown error"),
    ],
)
def test_a_failed_start_has_the_exit_code_of_a_shell_and_a_reason(error: OSError, code: int, words: str) -> None:
    assert spawn_failure(error) == (code, f"the command could not be started: {words}")
