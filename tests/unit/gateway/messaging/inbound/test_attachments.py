"""Files that people send, on their way into a workspace."""

import errno
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.model.files.test_file_type import PNG
from wakeful.gateway.messaging.inbound.attachments import save_all
from wakeful.gateway.messaging.platform import OfferedFile, Refused, Unanswered

MOST = 1000


def offered(name: str, *pieces: bytes, size: int | None = None, error: Exception | None = None) -> OfferedFile:
    async def read() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece
        if error is not None:
            raise error

    return OfferedFile(name, size, read)


def files_in(workspace: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (workspace / "inbox").iterdir()}


async def test_each_file_is_kept_under_the_message_and_its_own_name(tmp_path: Path) -> None:
    sent = [offered("a.txt", b"one"), offered("a.txt", b"two"), offered("a.txt", b"three"), offered("b", b"4")]
    saved = await save_all([*sent, offered("b", b"5")], "7", tmp_path, MOST)

    kept = {"7-a.txt": b"one", "7-a-2.txt": b"two", "7-a-3.txt": b"three", "7-b": b"4", "7-b-2": b"5"}
    assert files_in(tmp_path) == kept
    assert saved.lines == [f"[File: inbox/{name}, {len(content)} bytes]" for name, content in kept.items()]
    assert (saved.remarks, saved.pictures) == ([], [])


async def test_a_message_that_is_taken_in_again_finds_its_own_files(tmp_path: Path) -> None:
    await save_all([offered("a.txt", b"a beginning")], "7", tmp_path, MOST)
    await save_all([offered("a.txt", b"whole")], "7", tmp_path, MOST)

    assert files_in(tmp_path) == {"7-a.txt": b"whole"}


async def test_only_what_is_a_picture_is_shown_as_one(tmp_path: Path) -> None:
    saved = await save_all([offered("cat.txt", PNG), offered("note.png", b"no picture")], "7", tmp_path, MOST)

    assert saved.pictures == [tmp_path / "inbox" / "7-cat.txt"]


@pytest.mark.parametrize(
    ("size", "told"),
    [(1_500_000, "big.bin is too large (1.5 MB, at most 0.001 MB)"), (None, "big.bin is too large (over 0.001 MB, at")],
)
async def test_a_file_that_is_too_large_is_left_out_whether_or_not_the_platform_says_so(
    tmp_path: Path, size: int | None, told: str
) -> None:
    big, just = offered("big.bin", b"x" * MOST, b"x", size=size), offered("just.bin", b"x" * MOST, size=MOST)

    saved = await save_all([big, just], "7", tmp_path, MOST)

    assert list(files_in(tmp_path)) == ["7-just.bin"]
    assert saved.lines == ["[File: inbox/7-just.bin, 1000 bytes]"]
    assert len(saved.remarks) == 1
    assert saved.remarks[0].startswith(told)
    assert saved.remarks[0].endswith("and was left out.")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Refused("It is gone."), "a.txt could not be fetched and was left out: It is gone."),
        (OSError(errno.EACCES, "Permission denied"), "a.txt could not be saved and was left out: Permission denied."),
    ],
)
async def test_a_file_that_cannot_be_had_is_left_out_and_the_others_are_kept(
    tmp_path: Path, error: Exception, told: str
) -> None:
    saved = await save_all([offered("a.txt", b"o", error=error), offered("b.txt", b"two")], "7", tmp_path, MOST)

    assert files_in(tmp_path) == {"7-b.txt": b"two"}, "and nothing unfinished stays"
    assert (saved.lines, saved.remarks) == (["[File: inbox/7-b.txt, 3 bytes]"], [told])


@pytest.mark.parametrize("error", [Unanswered("The line was cut."), OSError(errno.ENOSPC, "No space left on device")])
async def test_what_may_go_well_later_is_no_reason_to_leave_a_file_out(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(type(error)):
        await save_all([offered("a.txt", b"o", error=error)], "7", tmp_path, MOST)

    assert files_in(tmp_path) == {}
