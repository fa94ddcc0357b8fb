"""Outputs are kept from filling the disk."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.kit import open_below
from tests.unit.tools.processes.kit import Ledger, ended, keeping, new_task
from wakeful.tools.processes.output.guard import OutputGuard
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.output.secrets import Redactor
from wakeful.tools.processes.settings import MIB, ProcessSettings


async def test_output_is_held_below_its_cap_while_it_grows(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("echo begun; for n in $(seq 40); do head -c 1M /dev/urandom; sleep 0.02; done; echo ended")

    async with keeping(ledger, replace(settings, output_cap=4 * MIB)) as keeper:
        await keeper.start(None, task)
        row = await ended(keeper, task.id)

    status = (settings.root / task.id / "output").stat()
    assert row.exit_code == 0
    assert status.st_size > 40 * MIB
    assert status.st_blocks * 512 <= 4 * MIB
    assert row.result.endswith("ended\n")
    with (settings.root / task.id / "output").open("rb") as output:
        assert output.read(6) == b"begun\n"


def test_beginning_and_end_stay_and_a_page_skips_the_trimmed_part(settings: ProcessSettings, tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(b"a" * MIB + b"b" * 6 * MIB + b"c" * 2 * MIB)
    guard = OutputGuard(replace(settings, output_cap=4 * MIB))
    output = Output(path, Redactor([]))

    assert guard.is_too_large(path)
    guard.trim(path)

    assert open_below(tmp_path) == []
    assert not guard.is_too_large(path)
    assert path.stat().st_size == 9 * MIB
    first = output.page(0, 9 * MIB, is_whole=True)
    second = output.page(first.next_offset, 9 * MIB, is_whole=True)
    assert (first.offset, first.text) == (0, "a" * MIB)
    assert (second.offset, second.text) == (7 * MIB, "c" * 2 * MIB)


def test_where_nothing_can_be_trimmed_it_is_tried_once(
    settings: ProcessSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, start: int, size: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("wakeful.tools.processes.output.guard.punch_hole", refuse)
    path = tmp_path / "output"
    path.write_bytes(b"a" * 2 * MIB)
    guard = OutputGuard(replace(settings, output_cap=MIB))
    assert guard.is_too_large(path)

    guard.trim(path)

    assert not guard.is_too_large(path)
    assert not guard.is_too_large(tmp_path / "none")


async def test_no_file_of_a_command_can_fill_the_disk(
    ledger: Ledger, settings: ProcessSettings, tmp_path: Path
) -> None:
    task = new_task("yes > big; echo code $?", tmp_path)
    settings = replace(settings, output_cap=MIB, disk_reserve=10**18)

    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        row = await ended(keeper, task.id)

    assert (tmp_path / "big").stat().st_size == 4 * MIB
    assert "code 153" in row.result


def test_honest_large_file_is_possible(settings: ProcessSettings, tmp_path: Path) -> None:
    free = os.statvfs(tmp_path)
    reserve = 1024 * MIB

    largest = OutputGuard(settings).largest_file(tmp_path)

    assert largest == pytest.approx(max(1024 * MIB, free.f_bavail * free.f_frsize - reserve), abs=512 * MIB)


def test_nothing_starts_without_room(settings: ProcessSettings) -> None:
    OutputGuard(settings).require_room()

    with pytest.raises(OSError, match="almost full"):
        OutputGuard(replace(settings, minimum_free=10**18)).require_room()


def test_what_is_free_has_to_reach_what_is_needed_and_both_are_told(
    settings: ProcessSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def have(free: int) -> None:
        monkeypatch.setattr("wakeful.tools.processes.output.guard._free_at", lambda path: free)

    guard = OutputGuard(replace(settings, minimum_free=2_000 * MIB))

    have(2_000 * MIB)
    guard.require_room()
    have(2_000 * MIB - 1)
    with pytest.raises(OSError, match=r"1,999 MiB are free, 2,000 MiB are needed") as refused:
        guard.require_room()
    assert refused.value.errno == errno.ENOSPC
