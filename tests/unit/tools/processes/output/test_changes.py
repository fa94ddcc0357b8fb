"""Files that grow are noticed, once for each time that somebody waits for it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from wakeful.tools.processes.output.changes import Changes


@pytest.fixture
async def changes() -> AsyncIterator[Changes]:
    changes = Changes()
    yield changes
    changes.close()
    changes.close()


async def test_the_next_write_to_each_file_is_noticed(changes: Changes, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.touch()
    other.touch()
    grown, not_grown = changes.arm(one), changes.arm(other)

    one.write_text("more")
    await asyncio.wait_for(grown.wait(), PATIENCE)

    assert not not_grown.is_set()
    again = changes.arm(one)
    assert not again.is_set()
    one.write_text("still more")
    await asyncio.wait_for(again.wait(), PATIENCE)
    other.write_text("more")
    await asyncio.wait_for(not_grown.wait(), PATIENCE)


async def test_nobody_is_told_of_a_file_any_more_that_nobody_waits_for(changes: Changes, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.touch()
    other.touch()
    left, watched = changes.arm(one), changes.arm(other)

    changes.disarm(one)
    changes.disarm(one)
    one.write_text("more")
    other.write_text("more")
    await asyncio.wait_for(watched.wait(), PATIENCE)

    assert not left.is_set()


async def test_the_kernel_watches_no_file_any_more_that_nobody_waits_for(changes: Changes, tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    changes.arm(tmp_path / "one")
    assert _watches(changes) == 1

    changes.disarm(tmp_path / "one")

    assert _watches(changes) == 0


async def test_a_file_that_cannot_be_followed_is_told_and_hurts_nobody(
    changes: Changes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gone = changes.arm(tmp_path / "gone")
    changes.disarm(tmp_path / "gone")

    assert not gone.is_set()
    assert "cannot follow" in caplog.text
    assert "No such file or directory" in caplog.text


def _watches(changes: Changes) -> int:
    """How many files the kernel watches for these changes."""
    return Path(f"/proc/self/fdinfo/{changes._inotify}").read_text().count("inotify wd:")
