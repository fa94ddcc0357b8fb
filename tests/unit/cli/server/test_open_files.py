"""The limit on open files."""

import resource
import subprocess
import sys

import pytest

from wakeful.cli.server.open_files import allow_many_open_files

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


@pytest.mark.parametrize(
    ("soft", "hard", "changed"),
    [
        (1024, 65_535, [65_535]),
        (1024, 100_000, [65_536]),
        (1024, resource.RLIM_INFINITY, [65_536]),
        (65_535, resource.RLIM_INFINITY, [65_536]),
        (65_536, 100_000, []),
        (80_000, 100_000, []),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, []),
    ],
)
def test_it_is_never_lowered_nor_raised_further_than_needed(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, changed: list[int]
) -> None:
    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limit: limits.append((which, limit)))

    allow_many_open_files()

    assert limits == [(resource.RLIMIT_NOFILE, (new, hard)) for new in changed]


@pytest.mark.parametrize("error", [OSError("not permitted"), ValueError("not allowed")])
def test_a_limit_that_cannot_be_raised_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def refuse(which: int, limit: tuple[int, int]) -> None:
        raise error

    monkeypatch.setattr(resource, "getrlimit", lambda which: (1024, 4096))
    monkeypatch.setattr(resource, "setrlimit", refuse)

    allow_many_open_files()

    assert caplog.messages == [f"no more than 1024 files can be open at the same time: {error}"]
