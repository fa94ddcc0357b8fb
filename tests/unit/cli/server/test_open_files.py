"""The limit on open files, in a separate process."""

import subprocess
import sys

import pytest

_LOOK = """
import resource
from wakeful.cli.server.open_files import allow_many_open_files
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
allow_many_open_files()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(("soft", "hard", "after"), [(256, 4096, 4096), (4096, 4096, 4096)])
def test_it_is_raised_as_far_as_the_user_may(soft: int, hard: int, after: int) -> None:
    code = _LOOK.format(soft=soft, hard=hard)

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert said.split() == [str(after), str(hard)]
