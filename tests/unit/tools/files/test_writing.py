"""A file is written to its end, in the folder that was checked, and under its lock until then."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.unit.tools.files.kit import ChangeRows, changer_on, new_call, run
from tests.unit.tools.kit import HOME
from wakeful.tools.files.change_tools import WriteFile
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.replacing import replace_file
from wakeful.tools.files.workspace import Folders


@pytest.mark.parametrize("is_ephemeral", [False, True])
async def test_a_call_that_is_stopped_while_it_writes_keeps_others_from_the_file_until_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_ephemeral: bool
) -> None:
    (tmp_path / "a").write_text("one")
    changer = changer_on(tmp_path / "home", ChangeRows())
    call = new_call(tmp_path)
    call = replace(call, turn=replace(call.turn, is_ephemeral=is_ephemeral))
    writing = WriteFile(changer, Folders(HOME)).run({"path": "a", "content": "two"}, call)

    await _stop_while_it_writes(writing, tmp_path / "a", changer, monkeypatch)

    assert (tmp_path / "a").read_text() == "two"


async def test_an_undo_that_is_stopped_while_it_writes_keeps_others_from_the_file_until_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("one")
    rows, copies = ChangeRows(), FileCopies(tmp_path / "home")
    changer = FileChanger(rows, copies)
    await run(WriteFile(changer, Folders(HOME)), tmp_path, path="a", content="two")
    (made,) = rows.all.values()

    await _stop_while_it_writes(copies.take_back(made, force=False), tmp_path / "a", changer, monkeypatch)

    assert (tmp_path / "a").read_text() == "one"


async def _stop_while_it_writes(
    act: Coroutine[Any, Any, Any], path: Path, changer: FileChanger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stop what writes the file in the middle of that. Its lock must stay taken until the file is written."""
    is_writing, may_write = threading.Event(), threading.Event()
    move = os.replace

    def slow(source: str, target: str, **folders: int) -> None:
        if target == path.name:
            is_writing.set()
            may_write.wait(PATIENCE)
        move(source, target, **folders)

    monkeypatch.setattr(os, "replace", slow)
    writing = asyncio.create_task(act)
    await asyncio.to_thread(is_writing.wait, PATIENCE)
    next_writer = asyncio.create_task(changer.lock_of(path.resolve()).acquire())
    # A second time, as when the server ends while it waits for a stopped turn.
    for _ in range(2):
        writing.cancel()
        await asyncio.wait([writing], timeout=0.03)
    try:
        assert not next_writer.done()
    finally:
        may_write.set()
    await next_writer
    assert writing.cancelled()


async def test_a_folder_that_becomes_a_link_while_a_file_is_written_does_not_lead_the_file_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / "a").write_text("of another")
    fsync = os.fsync

    def exchange(file: int) -> None:
        fsync(file)
        if not folder.is_symlink():
            folder.rename(tmp_path / "moved")
            folder.symlink_to(elsewhere)

    monkeypatch.setattr(os, "fsync", exchange)
    replace_file(folder / "a", b"mine")

    assert (elsewhere / "a").read_text() == "of another"
    assert (tmp_path / "moved" / "a").read_text() == "mine"
