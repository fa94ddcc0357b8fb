"""A tiny project with a source and its tests, for tests of what plants faults in it."""

from pathlib import Path

SOURCE = """\
LIMIT = 10


def add(first, second):
    total = first + second
    if total > LIMIT:
        raise ValueError("too much")
    return total


def never_called():
    return 1
"""

TESTS = """\
import subprocess
import sys

import pytest
from wakeful import sums


def test_adding():
    assert sums.add(1, 2) == 3


@pytest.mark.parametrize("number", [20, 30])
def test_the_limit(number):
    with pytest.raises(ValueError):
        sums.add(1, number)


def test_a_process_that_is_killed():
    code = "from wakeful import sums; print(sums.add(1, 2), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"3\\n"
        process.kill()
"""


def make_project(root: Path) -> Path:
    """Write it and return its root."""
    (root / "src" / "wakeful").mkdir(parents=True)
    (root / "src" / "wakeful" / "__init__.py").touch()
    (root / "src" / "wakeful" / "sums.py").write_text(SOURCE)
    (root / "tests").mkdir()
    (root / "tests" / "test_sums.py").write_text(TESTS)
    (root / "pytest.ini").write_text("[pytest]\n")
    return root
