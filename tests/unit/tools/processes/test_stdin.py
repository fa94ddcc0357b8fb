"""Input for a process that may not read it: nobody waits for ever, and the reason is told."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.stdin import InputRefused, close_input, write_input


@pytest.fixture
def folder(tmp_path: Path) -> ProcessFolder:
    folder = ProcessFolder(tmp_path / "process")
    folder.make(with_stdin=True)
    return folder


async def test_a_process_that_stops_reading_in_the_middle_is_told(folder: ProcessFolder) -> None:
    reader = os.open(folder.stdin, os.O_RDONLY | os.O_NONBLOCK)
    writing = asyncio.create_task(write_input(folder, 0, b"x" * 1024 * 1024, pty=True, patience=PATIENCE))
    # Until the pipe is full.
    await asyncio.sleep(0)
    os.close(reader)

    with pytest.raises(InputRefused, match="does not read its input any more") as refused:
        await writing

    assert refused.value.code == "not_found"


async def test_all_of_it_is_written_to_one_that_reads_slowly(folder: ProcessFolder) -> None:
    reader = os.open(folder.stdin, os.O_RDONLY | os.O_NONBLOCK)
    data = os.urandom(300_000)
    writing = asyncio.create_task(write_input(folder, 0, data, pty=True, patience=PATIENCE))

    read = b""
    while len(read) < len(data):
        await asyncio.sleep(0)
        try:
            read += os.read(reader, 50_000)
        except BlockingIOError:
            continue
    await writing
    os.close(reader)

    assert read == data


async def test_what_does_not_get_ready_is_given_up_on(folder: ProcessFolder) -> None:
    with pytest.raises(InputRefused, match="4 of 4 bytes could not be written in") as unread:
        await write_input(folder, 0, b"data", pty=True, patience=0.01)
    with pytest.raises(InputRefused, match="4 of 4 bytes could not be written in"):
        await write_input(folder, 0, b"data", pty=False, patience=0.01)
    with pytest.raises(InputRefused, match="its input is not ready") as unready:
        await close_input(folder, 0, pty=False, patience=0.01)

    assert (unread.value.code, unready.value.code) == ("timeout", "timeout")


async def test_input_that_is_gone_is_told(folder: ProcessFolder) -> None:
    folder.stdin.unlink()

    with pytest.raises(InputRefused, match="its input cannot be opened"):
        await write_input(folder, 0, b"data", pty=True, patience=PATIENCE)
    with pytest.raises(InputRefused, match="its input was closed"):
        await write_input(folder, 0, b"data", pty=False, patience=PATIENCE)


async def test_a_holder_that_is_no_member_of_the_group_is_not_trusted(folder: ProcessFolder) -> None:
    (folder.path / "holder").write_text(f"{os.getpid()}\n")

    with pytest.raises(InputRefused, match="its input was closed"):
        await close_input(folder, os.getpgid(0) + 1, pty=False, patience=PATIENCE)

    assert folder.stdin.exists()
